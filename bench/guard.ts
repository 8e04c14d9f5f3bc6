/**
 * Time that the guard adds to one command: lines of 80 B, 4 kB and 64 kB under 50 and 200
 * rules, against no rules in the same run, turn by turn; and texts that are made to take long.
 * Reports, with the aims and whether they are met, and never fails on time.
 *
 *   node_modules/.bin/node bench/guard.ts            # BENCH_ROUNDS=2000
 */
import { judge } from '../apps/server/src/gateway/guard/judgement.ts'
import { RuleSet } from '../apps/server/src/gateway/guard/rule-set.ts'
import { rule } from '../apps/server/src/gateway/guard/rules-fixture.ts'
import { expressions, WORK } from './command-rules.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 2000)
/** What 200 rules may add to a line of 80 B, and what any text may take, at p99. Milliseconds. */
const AIMS = { added: 1, hostile: 5000 }
/** A line of 64 kB takes as long as hundreds of short ones. */
const FEWER = 50

const rules = (count: number) =>
  new RuleSet(expressions(count).map((expression, at) => rule(String(at), expression, { ignore_case: true })))
const line = (bytes: number) => WORK.repeat(Math.ceil(bytes / 80)).slice(0, bytes)

const sets = { 'no rules': rules(0), '50 rules': rules(50), '200 rules': rules(200) }
const texts = { '80 B': line(80), '4 kB': line(4096), '64 kB': line(65_536) }

const percentile = (times: number[], part: number) => times[Math.floor(times.length * part)] ?? 0
const p99 = (times: number[]) => percentile(times, 0.99)
const tellAim = (what: string, took: number, aim: number) =>
  console.log(`Aim: ${what} under ${aim} ms at p99: ${took < aim ? 'met' : 'NOT MET'} (${took.toFixed(3)} ms)`)
const words = (times: number[]) => {
  times.sort((one, other) => one - other)
  return `median ${percentile(times, 0.5).toFixed(3)} ms, p99 ${p99(times).toFixed(3)} ms`
}
const timed = (set: RuleSet, text: string): number => {
  const begun = performance.now()
  judge(set, text, true)
  return performance.now() - begun
}

for (const [size, text] of Object.entries(texts)) {
  const times = new Map(Object.keys(sets).map((name) => [name, [] as number[]]))
  const rounds = text.length > 10_000 ? ROUNDS / FEWER : ROUNDS
  for (let round = -rounds / 10; round < rounds; round++)
    for (const [name, set] of Object.entries(sets)) {
      const took = timed(set, text)
      if (round >= 0) times.get(name)?.push(took)
    }
  for (const [name, all] of times) console.log(`${size}, ${name}: ${words(all)}`)
  const [none = [], , most = []] = [...times.values()]
  if (size === '80 B') tellAim('200 rules add to a line of 80 B', p99(most) - p99(none), AIMS.added)
}

const slow = new RuleSet([...rules(199).rules, rule('slow', '(a+)+$')])
const HOSTILE: Record<string, [RuleSet, string]> = {
  'an expression that takes for ever': [slow, `${'a'.repeat(60_000)}!`],
  '64 kB of ((((': [sets['200 rules'], '('.repeat(65_536)],
  '16 kB of $((': [sets['200 rules'], '$(('.repeat(5400)],
  '16 kB of "$(': [sets['200 rules'], '"$('.repeat(5400)],
  '16 kB of ${x:-': [sets['200 rules'], `\${x:-`.repeat(3200)],
  '16 kB of {1..99}': [sets['200 rules'], '{1..99}'.repeat(2300)],
  '16 kB of a=$a$a;': [sets['200 rules'], 'a=$a$a;'.repeat(2300)],
}
let longest = 0
for (const [what, [set, text]] of Object.entries(HOSTILE)) {
  const times = Array.from({ length: 20 }, () => timed(set, text))
  console.log(`${what}: ${words(times)}`)
  longest = Math.max(longest, p99(times))
}
tellAim('hostile texts are judged', longest, AIMS.hostile)
