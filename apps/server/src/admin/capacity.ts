/** Measures what the node of this data directory carries (docs/capacity.md). */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  CAPACITY_FIGURES,
  type CapacityFigure,
  type CapacityReport,
  type CapacityRun,
  type CapacityUnit,
} from '@sallyport/contract/resources/monitor/capacity.ts'
import { loadConfig, readConfigFile } from '../config.ts'
import { recordOperatorAct } from '../domains/audits/index.ts'
import {
  askNode,
  CAPACITY_RESOURCE,
  cancelRun,
  capacityWords,
  MAX_ROUNDS,
  readReport,
} from '../domains/monitor/index.ts'
import { type Database, openDatabase } from '../kernel/database/database.ts'
import { type Language, type Say, translate } from '../kernel/i18n/translate.ts'
import { knownNodeId } from '../kernel/nodes/node-id.ts'
import { StartRefusal } from '../kernel/start-refusal.ts'
import { connectionOfInstallation } from './running-database.ts'
import { languageOf } from './terminal-language.ts'
import { WrongUse } from './wrong-use.ts'

export const USAGE = `sallyport-admin capacity [--show | --rounds N] [--json] [--language cn|en]

  --show      the newest measurement, without another one
  --rounds    all of it so many times, 3 when not given; the figures are the medians
  --json      figures and capacity as JSON
  --language  cn or en; that of this terminal when not given

The running node of this data directory measures itself for a minute or two, gently: it stops by itself
where people would have to wait. Ctrl+C stops it, too. Nothing of it stays but its figures.`

const POLL_MS = 1_000

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      show: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '3' },
      json: { type: 'boolean', default: false },
      language: { type: 'string' },
    },
  })
  const language = languageOf(values.language)
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS)
    throw new WrongUse(`--rounds must be a whole number from 1 to ${MAX_ROUNDS}`)
  const config = loadConfig(process.env, readConfigFile(process.env))
  const { db, close } = openDatabase(await connectionOfInstallation(config))
  try {
    const node = knownNodeId(config.dataDirectory)
    if (!node) throw new StartRefusal(`There is no node in ${config.dataDirectory} yet: start Sallyport first`)
    const id = values.show ? undefined : await measure(db, { node, rounds }, language)
    const report = await read(db, language)
    const shown = report.history.find((one) => (id ? one.id === id : one.node === node && one.state === 'done'))
    if (!shown) throw new StartRefusal('This node was not measured yet: leave out --show')
    if (values.json) console.log(JSON.stringify(shown, null, 2))
    else print(shown, report, language)
    process.exitCode = shown.state === 'done' ? 0 : 1
  } finally {
    await close()
  }
}

const read = (db: Database, language: Language): Promise<CapacityReport> =>
  readReport(db, { language, timeZone: 'UTC' }, 0)

/** Asks the node, and waits until it is through; answers the run. */
async function measure(
  db: Database,
  { node, rounds }: { node: string; rounds: number },
  language: Language,
): Promise<string> {
  const user = process.env.SUDO_USER ?? process.env.USER ?? 'root'
  const asked = await db.transaction(async (within) => {
    const run = await askNode(within, { node, askedBy: user, rounds })
    if (run)
      await recordOperatorAct(within, {
        ...{ user, action: 'create', resourceType: CAPACITY_RESOURCE, resource: run.node_name },
      })
    return run
  })
  if (!asked) {
    const { current } = await read(db, language)
    throw new StartRefusal(current ? 'A measurement goes on already' : 'This node does not run, or carries no sessions')
  }
  const stop = () => void cancelRun(db).catch(console.error)
  process.once('SIGINT', stop)
  try {
    for (let shown = ''; ; ) {
      const { history } = await read(db, language)
      const run = history.find(({ id }) => id === asked.id)
      if (!run || run.date_finished) return asked.id
      const now = `${run.done} / ${run.total || '…'}`
      if (now !== shown) console.error(now)
      shown = now
      await pause(POLL_MS)
    }
  } finally {
    process.off('SIGINT', stop)
  }
}

const UNITS: Readonly<Record<CapacityUnit, string>> = {
  milliseconds: 'ms',
  'per second': '/s',
  'megabytes a second': 'MB/s',
  megabytes: 'MB',
  count: '',
}

function print(run: CapacityRun, { titles, part_titles }: CapacityReport, language: Language): void {
  const say: Say = (english, values) => translate(language, english, values)
  const { machine, capacity, figures } = run
  console.log(`${run.node_name}, ${run.date_asked}`)
  if (machine)
    console.log(
      `Sallyport ${machine.version}, Node ${machine.node}, PostgreSQL ${machine.postgres}, ${machine.processors} × ${machine.model}, ${Math.round(machine.memory / 1e9)} GB, ${machine.store}`,
    )
  const words = capacityWords(say, run)
  console.log(`\n${words.join('\n')}\n`)
  for (const { part, people } of capacity?.parts ?? [])
    console.log(`  ${String(people).padStart(9)}  ${part_titles[part]}`)
  if (capacity) console.log('')
  for (const [name, unit] of Object.entries(CAPACITY_FIGURES) as [CapacityFigure, CapacityUnit][]) {
    const value = figures[name]
    if (value !== undefined) console.log(`  ${String(value).padStart(9)} ${UNITS[unit].padEnd(5)} ${titles[name]}`)
  }
}
