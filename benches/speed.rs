//! Speed, as figures to compare with each other on one machine: the lint on the reference deployment, readers by size,
//! evaluations of the reference policy. `cargo bench` writes them; nothing here is a test.
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot start should say so and stop"
)]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pointsman::adapters::DiskFiles;
use pointsman::app::{SpecChoice, simulate, validate};
use pointsman::diag::Severity;
use pointsman::failover::invariants::Watch;
use pointsman::failover::journal::Entry;
use pointsman::failover::{Event, State, rehearse, step};
use pointsman::iam::trust::verdict;
use pointsman::iam::{Compiled, NamedPolicy, Policies, Request, cases, catalog};
use pointsman::model::policy::{PolicyDocument, PolicyKind};
use pointsman::model::spec::Spec;
use pointsman::model::trust::Repository;
use pointsman::ports::{Files as _, MemoryFiles};
use pointsman::report::Format;
use pointsman::syntax::{hcl, json, toml, yaml};
use pointsman::text::{SourceMap, Text};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The reference deployment in memory, so that the disk is not measured.
fn deployment() -> MemoryFiles {
    let disk = DiskFiles::new(ROOT);
    let memory = MemoryFiles::default();
    for folder in ["policies", "terraform", "monitors", ".github/workflows"] {
        for path in disk.walk(folder, true).0 {
            memory.put(&path, disk.read(&path).unwrap());
        }
    }
    memory.put("pointsman.toml", disk.read("pointsman.toml").unwrap());
    memory
}

fn commands(criterion: &mut Criterion) {
    let files = deployment();
    let request = validate::Request {
        here: String::new(),
        paths: Vec::new(),
        subject: None,
        policy_kind: None,
        repository: None,
        spec: SpecChoice::Usual,
        fail_on: Severity::Error,
        strict: true,
        today: None,
        format: Format::Json,
    };
    let mut group = criterion.benchmark_group("commands");
    group.bench_function("validate the reference deployment", |bencher| {
        bencher.iter(|| {
            let mut out = Vec::new();
            validate::run(black_box(&request), &files, &mut out).unwrap()
        });
    });
    let request = simulate::Request {
        tables: Vec::new(),
        strict_context: true,
        format: Format::Json,
        engine: simulate::Engine::Local,
        answers: simulate::Answers::Live,
    };
    group.bench_function("simulate the reference table", |bencher| {
        bencher.iter(|| {
            let mut out = Vec::new();
            simulate::run(black_box(&request), &files, None, &mut out).unwrap()
        });
    });
    group.finish();
}

fn text(path: &str, repeat: usize) -> Text {
    let bytes = DiskFiles::new(ROOT).read(path).unwrap();
    let text = String::from_utf8(bytes).unwrap().repeat(repeat);
    let mut sources = SourceMap::default();
    let file = sources.add(path, text);
    sources.text(file).unwrap()
}

/// A list of a hundred times the same policy; a hundred times the same module; a hundred times the same monitor.
fn readers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("readers");
    let policy = text("policies/change-records.json", 1);
    let list = format!("[{}]", vec![policy.as_str(); 100].join(","));
    let mut sources = SourceMap::default();
    let file = sources.add("list.json", list);
    let list = sources.text(file).unwrap();
    let module = text("terraform/iam.tf", 100);
    let monitors = text("monitors/edge-watch.yaml", 1);
    let spec = text("pointsman.toml", 1);
    group.throughput(Throughput::Bytes(spec.as_str().len() as u64));
    group.bench_function("read the spec", |bencher| {
        bencher.iter(|| Spec::read(black_box(&spec)).unwrap());
    });
    let mut sources = SourceMap::default();
    let file = sources.add("wrong.toml", spec.as_str().replace("ttl = 300", "ttl = 0"));
    let wrong = sources.text(file).unwrap();
    group.bench_function("read the spec, when it is wrong", |bencher| {
        bencher.iter(|| Spec::read(black_box(&wrong)).unwrap_err());
    });
    group.throughput(Throughput::Bytes(list.as_str().len() as u64));
    group.bench_function("json", |bencher| {
        bencher.iter(|| json::read(black_box(&list)));
    });
    group.throughput(Throughput::Bytes(module.as_str().len() as u64));
    group.bench_function("hcl", |bencher| {
        bencher.iter_batched(
            || &module,
            |module| hcl::read(black_box(module)),
            BatchSize::SmallInput,
        );
    });
    group.throughput(Throughput::Bytes(monitors.as_str().len() as u64));
    group.bench_function("yaml", |bencher| {
        bencher.iter(|| yaml::read(black_box(&monitors)));
    });
    group.finish();
}

/// The reference policies compiled, asked by every request of the reference table in turn; and the trust policy's verdict.
fn evaluator(criterion: &mut Criterion) {
    let document = |path: &str, kind| {
        let mut parsed = json::read(&text(path, 1));
        PolicyDocument::read(parsed.documents.pop().unwrap(), Some(kind), None)
    };
    let change = document("policies/change-records.json", PolicyKind::Identity);
    let read = document("policies/read-zone.json", PolicyKind::Identity);
    let compiled = Compiled::new(&Policies {
        identity: [("change", &change), ("read", &read)]
            .map(|(name, document)| NamedPolicy { name, document })
            .to_vec(),
        ..Policies::default()
    });
    let mut table = toml::read(&text("policies/cases.toml", 1));
    let (cases, _) = cases::read(&table.documents.pop().unwrap());
    let requests: Vec<Request> = cases.into_iter().map(|case| case.request).collect();
    let mut group = criterion.benchmark_group("evaluator");
    group.throughput(Throughput::Elements(requests.len() as u64));
    group.bench_function("decide", |bencher| {
        bencher.iter(|| {
            let decided = requests
                .iter()
                .filter(|request| compiled.decide(black_box(request)).is_some());
            decided.count()
        });
    });
    group.bench_function("evaluate with reasons", |bencher| {
        bencher.iter(|| {
            let reasons = requests
                .iter()
                .map(|request| compiled.evaluate(black_box(request)).why.len());
            reasons.sum::<usize>()
        });
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("look an action up among those of all services", |bencher| {
        bencher.iter(|| catalog::action(black_box("route53:ChangeResourceRecordSets")));
    });
    group.bench_function("look a condition key up", |bencher| {
        bencher.iter(|| catalog::key(black_box("ec2:ResourceTag/team")));
    });
    let trust = document("policies/trust.json", PolicyKind::Trust);
    let spec = Spec::read(&text("pointsman.toml", 1)).unwrap();
    let repository = Repository::of_spec(&spec);
    group.throughput(Throughput::Elements(1));
    group.bench_function("trust verdict", |bencher| {
        bencher.iter(|| verdict(black_box(&trust), &repository));
    });
    group.finish();
}

/// The mind on the events of a return home, ten probes and all; the same with its laws watched and its state made comparable,
/// which is what a state of the model check costs; all decision scenarios.
fn executor(criterion: &mut Criterion) {
    let bytes = DiskFiles::new(ROOT)
        .read("tests/it/data/executor_scenarios.json")
        .unwrap();
    let file = rehearse::read(&bytes).unwrap();
    let rows: Vec<_> = file.rows.into_iter().map(Result::unwrap).collect();
    let row = rows.iter().find(|row| row.id == "D01").unwrap();
    let topology = row.topology.as_ref().unwrap();
    let story = rehearse::run(row).story;
    let events: Vec<Event> = story
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Event(event) => Some(event),
            Entry::Effect(..) => None,
        })
        .collect();
    let mut group = criterion.benchmark_group("executor");
    group.throughput(Throughput::Elements(events.len() as u64));
    group.bench_function("step", |bencher| {
        bencher.iter_batched(
            || events.clone(),
            |events| {
                events.into_iter().fold(State::new(), |state, event| {
                    step(topology, state, black_box(event)).0
                })
            },
            BatchSize::SmallInput,
        );
    });
    group.bench_function("states of the model", |bencher| {
        bencher.iter_batched(
            || events.clone(),
            |events| {
                let mut watch = Watch::default();
                let mut seen = std::collections::BTreeSet::new();
                let mut state = State::new();
                for event in events {
                    let (next, effects) = step(topology, state, event.clone());
                    assert!(watch.sees(topology, &event, &effects).is_empty());
                    let key = (next.clone().rebased(), watch.clone().rebased(next.now()));
                    seen.insert(key);
                    state = next;
                }
                seen.len()
            },
            BatchSize::SmallInput,
        );
    });
    group.throughput(Throughput::Elements(rows.len() as u64));
    group.bench_function("scenarios", |bencher| {
        bencher.iter(|| {
            let right = rows
                .iter()
                .filter(|row| rehearse::run(row).differs(row).is_empty());
            assert_eq!(right.count(), rows.len());
        });
    });
    group.finish();
}

criterion_group!(benches, commands, readers, evaluator, executor);
criterion_main!(benches);
