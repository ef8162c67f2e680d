"""External calendars that schedules follow: iCalendar files, read as times and the people that they name."""
