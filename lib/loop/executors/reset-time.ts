// When a limit ends, out of a sentence made for people: "try again at 7:57 AM", "… at Dec 3rd, 2026 7:57 AM", "… in 2
// days 3 hours". A time of day is the next one to come in the zone in which it was printed.

/** A sentence may name a minute that has just gone by while it was on its way to us. */
const lateMsMax = 2 * 60_000;

const dayMs = 24 * 60 * 60_000;
const unitsMs: Readonly<Record<string, number>> = {day: dayMs, hour: 60 * 60_000, minute: 60_000, second: 1000};
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Returns the instant at which the sentence says to try again, or undefined where it says none.
 *
 * @param nowMs - Milliseconds since the Unix epoch.
 * @param timeZone - An IANA zone; this machine's when left out.
 */
export function resetInText(text: string, nowMs: number, timeZone?: string): number | undefined {
  const span = /try again in ((?:[\d.]+ ?(?:days?|hours?|minutes?|seconds?|s|m|h)[, and]*)+)/i.exec(text)?.[1];
  if (span) return nowMs + spanMs(span);

  const at =
    /try again at (?:([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? )?(\d{1,2}):(\d{2})(?::\d{2})? ?([ap]m)?/i.exec(
      text,
    );
  if (!at) return undefined;
  const [, month, day, year, hour, minute, half] = at;
  const ofDay = {hour: hourOf(Number(hour), half), minute: Number(minute)};
  if (ofDay.hour > 23 || ofDay.minute > 59) return undefined;

  if (month && day && year) {
    const index = months.indexOf(month.toLowerCase());
    return index < 0 ? undefined : instant({year: Number(year), month: index, day: Number(day), ...ofDay}, timeZone);
  }

  const today = wallClock(nowMs, timeZone);
  const soon = instant({...today, ...ofDay}, timeZone);
  return soon >= nowMs - lateMsMax ? soon : instant({...today, day: today.day + 1, ...ofDay}, timeZone);
}

type WallClock = {year: number; month: number; day: number; hour: number; minute: number};

function spanMs(span: string): number {
  const parts = [...span.matchAll(/([\d.]+) ?(day|hour|minute|second|s|m|h)/gi)];
  const sum = parts.reduce((total, [, count, unit = '']) => {
    const name = {s: 'second', m: 'minute', h: 'hour'}[unit.toLowerCase()] ?? unit.toLowerCase();
    return total + Number(count) * (unitsMs[name] ?? 0);
  }, 0);
  return Math.round(sum) || 0;
}

function hourOf(hour: number, half: string | undefined): number {
  if (!half) return hour;
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

function wallClock(atMs: number, timeZone: string | undefined): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    ...(timeZone ? {timeZone} : {}),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(atMs).map(part => [part.type, Number(part.value)]));
  return {
    year: parts.year ?? 0,
    month: (parts.month ?? 1) - 1,
    day: parts.day ?? 1,
    hour: parts.hour ?? 0,
    minute: parts.minute ?? 0,
  };
}

/** Returns the instant of a wall clock. Twice, because the zone's offset there may differ from the first guess's. */
function instant(clock: WallClock, timeZone: string | undefined): number {
  const wanted = asUtc(clock);
  const guess = wanted - (asUtc(wallClock(wanted, timeZone)) - wanted);
  return guess - (asUtc(wallClock(guess, timeZone)) - wanted);
}

function asUtc({year, month, day, hour, minute}: WallClock): number {
  return Date.UTC(year, month, day, hour, minute);
}
