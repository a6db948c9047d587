//! Where a study runs: the machine, the build, the time.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use super::summary::RunRecord;
use crate::soa::Level;

/// The revision of the source that carom was built from, if it is known.
pub const REVISION: Option<&str> = option_env!("CAROM_REVISION");

/// What this machine and this build are, and what time it is. Threads, processes and times are left at 0.
#[must_use]
pub fn environment() -> RunRecord {
    RunRecord {
        machine: machine(),
        processor: processor(),
        cpu_level: Level::current().map_or_else(|_| String::new(), |level| level.to_string()),
        started: utc(SystemTime::now()),
        ..RunRecord::default()
    }
}

fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).ok();
    let name = read("/proc/sys/kernel/hostname").or_else(|| read("/etc/hostname"));
    name.or_else(|| std::env::var("HOSTNAME").ok())
        .map_or_else(|| "unknown".into(), |name| name.trim().into())
}

fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    model_name(&info).unwrap_or(std::env::consts::ARCH).into()
}

fn model_name(info: &str) -> Option<&str> {
    let value = |line: &'_ str| line.split_once(':').map(|(key, _)| key.trim() == "model name");
    let line = info.lines().find(|line| value(line) == Some(true))?;
    line.split_once(':').map(|(_, name)| name.trim())
}

/// A time as `2026-01-31T12:00:00Z`.
fn utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let [year, month, day] = date(days);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

/// Year, month and day of a number of days since 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms"):
/// years from March on, in eras of 400 years.
fn date(days: u64) -> [u64; 3] {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    [era * 400 + year_of_era + u64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_769_860_800, "2026-01-31T12:00:00Z"),
        ] {
            assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn a_run_knows_where_it_is() {
        let record = environment();
        assert!(!record.machine.is_empty() && !record.processor.is_empty() && !record.cpu_level.is_empty());
        assert_eq!(record.started.len(), 20);
        assert_eq!(model_name("processor : 0\nmodel name\t: A 1.0 GHz: x\n"), Some("A 1.0 GHz: x"));
    }

    #[test]
    fn a_revision_is_the_start_of_a_hash() {
        let is_hash = |text: &str| text.len() >= 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(REVISION.is_none_or(is_hash), "{REVISION:?}");
    }
}
