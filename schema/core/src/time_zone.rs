//! Time zones from the compiled-in database, so that the zones are the same on every machine.

use jiff::tz::TimeZoneDatabase;

/// Returns the name of a time zone as in the IANA database. `None` if the database has no such zone.
pub fn canonical_name(name: &str) -> Option<String> {
    TimeZoneDatabase::bundled().get(name).ok()?.iana_name().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_zone_name_is_known() {
        let mut count = 0;
        for name in TimeZoneDatabase::bundled().available() {
            assert_eq!(canonical_name(name.as_str()).as_deref(), Some(name.as_str()));
            count += 1;
        }
        assert!(count > 500, "{count}");
        for name in ["UTC", "GMT", "EST5EDT", "Etc/GMT+5", "America/Port-au-Prince", "America/Argentina/Ushuaia"] {
            assert_eq!(canonical_name(name).as_deref(), Some(name));
        }
        assert_eq!(canonical_name("europe/berlin").as_deref(), Some("Europe/Berlin"));
        for name in ["", "Mars", "Europe/Atlantis", "EST5EDT,M3", "../UTC", "+01:00"] {
            assert_eq!(canonical_name(name), None, "{name}");
        }
    }
}
