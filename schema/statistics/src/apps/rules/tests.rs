use super::*;

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

fn figure(text: &str, customers: i64) -> StatisticsFigure {
    let imported_at = "2026-11-25T02:00:00Z".parse().unwrap();
    StatisticsFigure { day: day(text), customers, imported_at, restated_at: None }
}

fn latest(customers: Option<i64>, has_week_before: bool, customers_before: Option<i64>) -> LatestDay {
    LatestDay { has_source: true, day: Some(day("2026-11-24")), customers, has_week_before, customers_before }
}

#[test]
fn comparison_states_reason_if_either_day_is_missing() {
    let whole = latest(Some(12), true, Some(9)).compare_week();
    assert_eq!((whole.change, whole.change_percent, whole.gap), (Some(3), Some(33.3), None));
    assert_eq!(whole.day, Some(day("2026-11-17")));
    let fell = latest(Some(0), true, Some(8)).compare_week();
    assert_eq!((fell.change, fell.change_percent), (Some(-8), Some(-100.0)));
    let of_none = latest(Some(4), true, Some(0)).compare_week();
    assert_eq!((of_none.change, of_none.change_percent, of_none.gap), (Some(4), None, None));
    for (lacking, gap) in [
        (latest(None, true, Some(9)), StatisticsGap::NotReported),
        (latest(Some(12), false, Some(9)), StatisticsGap::WeekBeforeNotImported),
        (latest(Some(12), true, None), StatisticsGap::WeekBeforeNotReported),
        (LatestDay { day: None, ..latest(None, false, None) }, StatisticsGap::NothingImported),
        (LatestDay { has_source: false, ..latest(None, false, None) }, StatisticsGap::SourceDisabled),
    ] {
        let compared = lacking.compare_week();
        assert_eq!((compared.change, compared.change_percent, compared.gap), (None, None, Some(gap)));
    }
}

#[test]
fn weeks_and_months_have_average_and_peak_of_present_days() {
    // 23 November 2026 is a Monday.
    let figures = [figure("2026-11-22", 10), figure("2026-11-23", 4), figure("2026-11-25", 7), figure("2026-12-01", 1)];
    let span = Span { from: day("2026-11-21"), until: day("2026-12-02") };
    let told = |granularity| {
        let periods = periods(&figures, granularity, span);
        let line = |of: StatisticsPeriod| {
            (of.day.to_string(), of.last_day.to_string(), of.customers, of.average, of.peak, of.days, of.of_days)
        };
        periods.into_iter().map(line).collect::<Vec<_>>()
    };
    let line = |day: &str, last: &str, customers, average, peak, days, of_days| {
        (day.to_owned(), last.to_owned(), customers, average, peak, days, of_days)
    };
    assert_eq!(told(StatisticsGranularity::Day)[1], line("2026-11-23", "2026-11-23", Some(4), 4.0, 4, 1, 1));
    let weeks = [
        line("2026-11-16", "2026-11-22", None, 10.0, 10, 1, 2),
        line("2026-11-23", "2026-11-29", None, 5.5, 7, 2, 7),
        line("2026-11-30", "2026-12-06", None, 1.0, 1, 1, 2),
    ];
    assert_eq!(told(StatisticsGranularity::Week), weeks);
    let months =
        [line("2026-11-01", "2026-11-30", None, 7.0, 10, 3, 10), line("2026-12-01", "2026-12-31", None, 1.0, 1, 1, 1)];
    assert_eq!(told(StatisticsGranularity::Month), months);
}

#[test]
fn requested_span_ends_with_last_completed_day() {
    let (first, today) = (day("2026-01-01"), day("2026-11-25"));
    let asked = |from: Option<&str>, until: Option<&str>| {
        Span::requested_days(from.map(day), until.map(day), first, today)
            .map(|span| (span.from, span.until, span.days()))
    };
    assert_eq!(asked(None, None).unwrap(), (first, today, 328));
    assert_eq!(asked(Some("2026-11-20"), Some("2026-12-24")).unwrap(), (day("2026-11-20"), today, 5));
    assert_eq!(asked(Some("2026-12-01"), None).unwrap().2, 0, "nothing of the time to come");
    assert!(asked(Some("2026-11-20"), Some("2026-11-20")).is_err());
}

#[test]
fn quotients_have_one_decimal() {
    for (part, whole, rounded) in
        [(1, 3, 0.3), (2, 3, 0.7), (-1, 4, -0.3), (5, 2, 2.5), (12_345_678_901_234, 1, 12_345_678_901_234.0)]
    {
        assert!((tenths(part, whole) - rounded).abs() < 1e-6, "{part} of {whole}: {}", tenths(part, whole));
    }
}
