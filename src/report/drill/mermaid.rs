//! The phases of a rehearsal as a Gantt chart of Mermaid.

use super::Rehearsed;

pub(super) fn gantt(drill: &Rehearsed) -> String {
    let plain = |text: &str| text.replace([':', ';', '#', '\n'], " ");
    let mut chart = format!(
        "gantt\n    title {}\n    dateFormat x\n    axisFormat %M:%S\n",
        plain(&drill.title())
    );
    for moved in &drill.moves {
        let section = format!("{} to {}", moved.from, moved.to);
        chart.push_str(&format!("    section {}\n", plain(&section)));
        let mut at = moved.began;
        for phase in &moved.phases {
            let end = at + phase.lasted;
            chart.push_str(&format!(
                "    {} :{}, {}\n",
                plain(phase.name),
                at.as_millis(),
                end.as_millis()
            ));
            at = end;
        }
    }
    chart
}
