import { setImmediate as letOthersWork } from 'node:timers/promises'
import { type CommandRule, type CommandSituation, commandRulesOf } from '../../domains/assets/index.ts'
import type { WaitingHost } from '../../domains/ops/index.ts'
import type { Database } from '../../kernel/database/database.ts'
import { denialOf, groundsOf } from '../guard/denial.ts'
import type { Grounds } from '../guard/guard.ts'
import { judge } from '../guard/judgement.ts'
import { RuleSet } from '../guard/rule-set.ts'
import type { Notice } from '../session/notice.ts'
import { assetTarget } from '../targets/asset-family.ts'

/** A text of its own for each of a thousand machines takes seconds to judge: others have their turn meanwhile. */
const AT_A_TIME_MS = 20

/** Who runs something as whom. */
export interface JudgedRun {
  userId: string
  systemUserId: string
}

/** Machines whose rules want the same command confirmed by others, all by the same rule. */
export interface ConfirmedHosts {
  grounds: Grounds
  hosts: WaitingHost[]
}

/** What the command rules say of a run. */
export interface Rulings {
  /** Why the rules of the person and the system user refuse it as a whole. */
  everywhere: Notice | undefined
  /** Why those that a machine has besides refuse it there, by asset. */
  refused: ReadonlyMap<string, Notice>
  /** What others have to confirm first. */
  toConfirm: readonly ConfirmedHosts[]
}

/** Neither, where nothing is said against it. */
type Ruling = { refusal?: Notice; asksBy?: Grounds }

/**
 * What the command rules say of a run (contract/ops.yaml `command_execution` rules). Two queries,
 * however many machines; each set of rules is asked once about each text.
 */
export async function judgeMachines(
  db: Database,
  { userId, systemUserId }: JudgedRun,
  hosts: readonly WaitingHost[],
): Promise<Rulings> {
  const own: CommandSituation = { userId, systemUserId }
  const situations = [own, ...hosts.map(({ asset }) => ({ ...own, target: assetTarget(asset) }))]
  const [ofAll, ...ofHosts] = await commandRulesOf(db, situations)
  const known = new Map<string, Ruling>()
  const rulingBy = (rules: readonly CommandRule[], command: string): Ruling => {
    const key = `${rules.map(({ id }) => id).join(' ')}\n${command}`
    const ruling = known.get(key) ?? rulingOn(command, rules)
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
    const { refusal, asksBy } = rulingBy(ofHosts[at]?.rules ?? [], host.command)
    if (refusal) refused.set(host.asset, refusal)
    if (!asksBy) continue
    const key = `${asksBy.rule}\n${host.command}`
    const group = toConfirm.get(key) ?? { grounds: asksBy, hosts: [] }
    group.hosts.push(host)
    toConfirm.set(key, group)
  }
  const [command, other] = new Set(hosts.map((host) => host.command))
  const everywhere = command === undefined || other !== undefined ? {} : rulingBy(ofAll?.rules ?? [], command)
  return { everywhere: everywhere.refusal, refused, toConfirm: [...toConfirm.values()] }
}

function rulingOn(command: string, rules: readonly CommandRule[]): Ruling {
  const judgement = judge(new RuleSet([...rules]), command, true)
  const grounds = groundsOf(judgement)
  if (!grounds || judgement.action === 'allow') return {}
  return judgement.action === 'deny' ? { refusal: denialOf(judgement, grounds) } : { asksBy: grounds }
}
