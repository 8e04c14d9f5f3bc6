import { setImmediate as letOthersWork } from 'node:timers/promises'
import { devicesAmong } from '../../domains/assets/index.ts'
import { type CommandRule, type CommandSituation, commandRulesOf } from '../../domains/command-filters/index.ts'
import type { WaitingHost } from '../../domains/ops/command-executions/index.ts'
import { singleStepsOf } from '../../domains/ops/runbooks/index.ts'
import type { Database } from '../../kernel/database/database.ts'
import { linesOf } from '../connectors/device/run-lines.ts'
import { denialOf, groundsOf } from '../guard/denial.ts'
import type { Grounds } from '../guard/guard.ts'
import { judge, type Ruling, strictest } from '../guard/judgement.ts'
import { RuleSet } from '../guard/rule-set.ts'
import type { Notice } from '../session/notice.ts'
import { assetTarget } from '../targets/asset-family.ts'

/** A text of its own for each of a thousand machines takes seconds to judge: others have their turn meanwhile. */
const AT_A_TIME_MS = 20

/** Person and account of a run. */
export interface JudgedRun {
  userId: string
  systemUserId: string
}

/** Machines whose rules want the same command confirmed by others, all by the same rule. */
export interface ConfirmedHosts {
  grounds: Grounds
  hosts: WaitingHost[]
}

/** Decisions of the command rules on a run. */
export interface Rulings {
  /** Why the rules of the person and the system user refuse it as a whole. */
  everywhere: Notice | undefined
  /** Why those that a machine has besides refuse it there, by asset. */
  refused: ReadonlyMap<string, Notice>
  /** Machines whose command others have to confirm first. */
  toConfirm: readonly ConfirmedHosts[]
}

/** Decision on one text. Neither, where no rule is against it. */
type TextRuling = { refusal?: Notice; asksBy?: Grounds }

/**
 * Judges a run by the command rules (docs/rules/ops.md#command_execution). Three queries, however
 * many machines; each set of rules is asked once about each text.
 */
export async function judgeMachines(
  db: Database,
  { userId, systemUserId }: JudgedRun,
  hosts: readonly WaitingHost[],
): Promise<Rulings> {
  const own: CommandSituation = { userId, systemUserId }
  const situations = [own, ...hosts.map(({ asset }) => ({ ...own, target: assetTarget(asset) }))]
  const [ofAll, ...ofHosts] = await commandRulesOf(db, situations)
  const devices = await devicesAmong(
    db,
    hosts.map(({ asset }) => asset),
  )
  const known = new Map<string, TextRuling>()
  const rulingBy = (rules: readonly CommandRule[], command: string, isDevice = false): TextRuling => {
    const key = `${isDevice} ${rules.map(({ id }) => id).join(' ')}\n${command}`
    const ruling = known.get(key) ?? rulingOf(command, rules, isDevice)
    known.set(key, ruling)
    return ruling
  }
  const refused = new Map<string, Notice>()
  const toConfirm = new Map<string, ConfirmedHosts>()
  let worked = performance.now()
  for (const [at, host] of hosts.entries()) {
    if (performance.now() - worked > AT_A_TIME_MS) {
      await letOthersWork()
      worked = performance.now()
    }
    const { refusal, asksBy } = rulingBy(ofHosts[at] ?? [], host.command, devices.has(host.asset))
    if (refusal) refused.set(host.asset, refusal)
    if (!asksBy) continue
    const key = `${asksBy.rule}\n${host.command}`
    const group = toConfirm.get(key) ?? { grounds: asksBy, hosts: [] }
    group.hosts.push(host)
    toConfirm.set(key, group)
  }
  const [command, other] = new Set(hosts.map((host) => host.command))
  const everywhere = command === undefined || other !== undefined ? {} : rulingBy(ofAll ?? [], command)
  return { everywhere: everywhere.refusal, refused, toConfirm: [...toConfirm.values()] }
}

function rulingOf(command: string, rules: readonly CommandRule[], isDevice: boolean): TextRuling {
  const set = new RuleSet([...rules])
  const asScript = judge(set, command, true, false)
  const parts = isDevice ? linesOf(command) : singleStepsOf(command)?.map((step) => step.command)
  const ruling = parts ? strictestOfParts(set, parts, asScript) : asScript
  const grounds = groundsOf(ruling)
  if (ruling.action === 'deny') return { refusal: denialOf(ruling, grounds) }
  return grounds && ruling.action === 'confirm' ? { asksBy: grounds } : {}
}

/**
 * A device, and Windows, get line by line what a shell would read as one word: each counts as it is, and, since
 * some makers divide commands as shells do (`;`), as a shell reads it by itself.
 */
function strictestOfParts(set: RuleSet, parts: readonly string[], asScript: Ruling): Ruling {
  const lines = [...new Set(parts.map((line) => line.trim()))]
  let ruling = asScript
  for (const isForShell of [false, true])
    for (const line of lines) {
      // Nothing is stricter; and a rule that takes too long is tried once.
      if (ruling.action === 'deny') return ruling
      ruling = strictest(set, [ruling, judge(set, line, isForShell)])
    }
  return ruling
}
