//! Processes of this machine, by `/proc`.

/// Returns the children of a process.
pub(super) fn children(of: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| fields(*id).and_then(|fields| fields.get(1)?.parse().ok()) == Some(of)).collect()
}

/// Returns the fields of `/proc/<id>/stat` after the name: state, parent and so on.
fn fields(id: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

/// Returns the processor time of a process in ticks, or that of its ended children.
pub(super) fn ticks_of(id: u32, of_children: bool) -> u64 {
    let first = if of_children { 13 } else { 11 };
    let number = |fields: &Vec<String>, place: usize| fields.get(place).and_then(|text| text.parse::<u64>().ok());
    fields(id).map_or(0, |fields| number(&fields, first).unwrap_or(0) + number(&fields, first + 1).unwrap_or(0))
}
