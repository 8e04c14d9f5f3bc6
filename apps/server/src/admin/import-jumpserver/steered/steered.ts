import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import {
  DIFFERENCES_FILE,
  type Fault,
  type MoveNews,
  type MoveOrder,
  REPORT_FILE,
} from '../../../domains/moving/index.ts'
import { openDatabase } from '../../../kernel/database/database.ts'
import { registerKeys } from '../../../kernel/secrets/installation-key.ts'
import { readKeys as readOwnKeys } from '../../../kernel/secrets/key-source.ts'
import { createVault } from '../../../kernel/secrets/vault.ts'
import { WrongUse } from '../../wrong-use.ts'
import { checkSecretKeys } from '../check-secret-keys.ts'
import { linesOfProof } from '../reach/print-proof.ts'
import { importMadeBefore, proveWithFile } from '../reach/prove-command.ts'
import { ImportRefusal } from '../refusal.ts'
import { COLLECT_EARLY } from '../report/collect-early.ts'
import { Report } from '../report/report.ts'
import { headOf, stoppedAt, writeReport } from '../report/report-file.ts'
import { type Come, runImport } from '../run-import.ts'
import { enteredKeys, secretKeys } from '../secrets/index.ts'
import { openSource } from '../source/open-source.ts'
import type { Source } from '../source/source.ts'
import { recognizeVersion } from '../source/version.ts'
import { installationToTakeBack, labelOf, linesOfTakenBack } from '../take-back/take-back-command.ts'
import { takeBackImport } from '../take-back/take-back-import.ts'
import { countsOf } from './counts.ts'
import { kindsOf, proofOf } from './outcome.ts'

const NEWS_MS = 500
/** Characters of a reason that a driver or a database gives. */
const LONGEST_REASON = 500

type Notify = (news: MoveNews) => void

/**
 * The import as a node runs it for the page: an order on the input, news on the output, files in a folder
 * of its own. It ends when its input does, since then the node is gone.
 */
export async function runSteered(): Promise<void> {
  setFlagsFromString(COLLECT_EARLY)
  const notify: Notify = (news) => void process.stdout.write(`${JSON.stringify(news)}\n`)
  const input = createInterface({ input: process.stdin })
  const order = await new Promise<MoveOrder>((resolve) => {
    input.once('line', (line) => resolve(JSON.parse(line)))
    input.once('close', () => process.exit(1))
  })
  try {
    await carryOut(order, notify)
  } catch (error) {
    const fault = faultOf(error, order)
    if (!fault) throw error
    notify({ fault })
  } finally {
    input.removeAllListeners('close')
    input.close()
    process.stdin.destroy()
  }
}

/** Why it failed, for readers; no secret of the order is in it. */
function faultOf(error: unknown, { address, keys }: MoveOrder): Fault | undefined {
  if (error instanceof ImportRefusal) return { sentence: error.sentence, values: error.values }
  const { message } = error as Error
  if (error instanceof WrongUse) return { sentence: message }
  const password = address && new URL(address).password
  const secrets = [password, password && decodeURIComponent(password), ...keys].filter((one) => one !== '')
  const reason = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message)
  console.error(reason)
  return { sentence: 'It stopped: {{reason}}', values: { reason: reason.slice(0, LONGEST_REASON) } }
}

async function carryOut(order: MoveOrder, notify: Notify): Promise<void> {
  const { db, pool, close } = openDatabase(order.database)
  try {
    if (order.task === 'take_back' || order.task === 'try_take_back')
      return await takeBack(order, { db, notify, isDryRun: order.task === 'try_take_back' })
    const source = await openSource(order.address)
    try {
      const version = recognizeVersion(source)
      notify({ source: source.address, version: version.name })
      if (order.task === 'look') return await look(order, source, notify)
      if (order.task === 'prove') return void (await prove(order, await importMadeBefore(db, source), notify))
      const secrets = createVault(await registerKeys(pool, await readOwnKeys(order.config)))
      await importInto(order, { db, pool, secrets, source, notify })
    } finally {
      await source.close()
    }
  } finally {
    await close()
  }
}

const keysOf = ({ keys }: MoveOrder) => secretKeys(keys.flatMap(enteredKeys))

async function look(order: MoveOrder, source: Source, notify: Notify): Promise<void> {
  await checkSecretKeys(source, keysOf(order))
  notify({ outcome: { counts: await countsOf(source) } })
}

async function prove({ folder, language }: MoveOrder, come: Come, notify: Notify): Promise<string[]> {
  notify({ stage: { label: 'Who reaches what', done: 0, all: 1 } })
  const file = join(folder, DIFFERENCES_FILE)
  const proof = await proveWithFile(file, come, language)
  notify({ outcome: { proof: proofOf(proof) } })
  return linesOfProof(proof, language, 'import-jumpserver-rights.txt')
}

type Importing = Pick<Parameters<typeof runImport>[0], 'db' | 'pool' | 'secrets' | 'source'> & { notify: Notify }

async function importInto(order: MoveOrder, { notify, ...within }: Importing): Promise<void> {
  const { language, historyFrom, folder } = order
  const isDryRun = order.task === 'try'
  const report = new Report()
  const rows = () => report.kinds.reduce((sum, { read }) => sum + read, 0)
  const timer = setInterval(() => notify({ rows: rows() }), NEWS_MS)
  const write = (head: string, last?: readonly string[]) =>
    writeReport(join(folder, REPORT_FILE), { head, kinds: report.kinds, language, ...(last ? { last } : {}) })
  let stage = ''
  let [parts, proof]: [number, string[]] = [0, []]
  try {
    const { version } = await runImport({
      ...{ ...within, report, isDryRun, keys: keysOf(order), config: order.config, withJobs: order.withJobs },
      history: historyFrom ? { from: new Date(`${historyFrom}T00:00:00Z`) } : {},
      settings: { withAddresses: order.withAddresses },
      progress(label, done, all) {
        ;[stage, parts] = [label, all + 1]
        notify({ stage: { label, done, all: parts } })
      },
      async afterwards(come) {
        stage = 'Who reaches what'
        proof = await prove(order, come, (news) =>
          notify(news.stage ? { stage: { ...news.stage, done: parts - 1, all: parts } } : news),
        )
      },
    })
    await write(headOf(version.name, within.source.address, isDryRun, language), proof)
  } catch (error) {
    if (report.kinds.length) await write(stoppedAt(stage, isDryRun, language))
    throw error
  } finally {
    clearInterval(timer)
    notify({ rows: rows(), outcome: { kinds: kindsOf(report) } })
  }
}

interface TakingBack {
  db: Parameters<typeof installationToTakeBack>[0]
  notify: Notify
  isDryRun: boolean
}

async function takeBack(
  { installation, folder, language }: MoveOrder,
  { db, notify, isDryRun }: TakingBack,
): Promise<void> {
  const name = installation || (await installationToTakeBack(db, undefined))
  notify({ source: name, stage: { label: 'Taking back', done: 0, all: 1 } })
  const back = await takeBackImport({ db, name, isDryRun })
  const { file } = linesOfTakenBack(back, { name, isDryRun }, language)
  await writeFile(join(folder, REPORT_FILE), `${file.join('\n')}\n`, { mode: 0o600 })
  const taken = back.kinds.flatMap(({ kind, isPair, removed, changed, needed, evident }) => {
    const stays = changed.count + needed.count + evident.count
    return isPair || !(removed || stays) ? [] : [{ label: labelOf(kind), removed, stays }]
  })
  notify({ outcome: { taken } })
}
