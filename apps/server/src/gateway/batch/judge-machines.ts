import { type CommandRule, type CommandSituation, commandRulesOf } from '../../domains/assets/index.ts'
import type { WaitingHost } from '../../domains/ops/index.ts'
import type { Database } from '../../kernel/database/database.ts'
import { denialOf, groundsOf } from '../guard/denial.ts'
import { type Judgement, judge } from '../guard/judgement.ts'
import { RuleSet } from '../guard/rule-set.ts'
import { type Notice, notice } from '../session/notice.ts'
import { assetTarget } from '../targets/asset-family.ts'

/** Who runs what as whom. */
export interface JudgedRun {
  userId: string
  systemUserId: string
  command: string
}

/**
 * Why the command rules refuse a run: `everywhere` by those of the person and the system user,
 * which refuse it as a whole, and by machine for those that have others (contract/ops.yaml
 * `command_execution` rules). Two queries, however many machines; each set of rules is asked once.
 */
export async function judgeMachines(
  db: Database,
  { userId, systemUserId, command }: JudgedRun,
  hosts: readonly WaitingHost[],
): Promise<{ everywhere: Notice | undefined; refused: ReadonlyMap<string, Notice> }> {
  const own: CommandSituation = { userId, systemUserId }
  const situations = [own, ...hosts.map(({ asset }) => ({ ...own, target: assetTarget(asset) }))]
  const [ofAll, ...ofHosts] = await commandRulesOf(db, situations)
  const known = new Map<string, Notice | undefined>()
  const refusalBy = (rules: readonly CommandRule[]) => {
    const key = rules.map(({ id }) => id).join(' ')
    if (!known.has(key)) known.set(key, refusalOf(judge(new RuleSet([...rules]), command, true)))
    return known.get(key)
  }
  const refused = hosts.map(({ asset }, at) => [asset, refusalBy(ofHosts[at]?.rules ?? [])] as const)
  return {
    everywhere: refusalBy(ofAll?.rules ?? []),
    refused: new Map(refused.flatMap(([asset, one]) => (one ? [[asset, one]] : []))),
  }
}

/** Nobody can wait here for others to confirm it. */
function refusalOf(judgement: Judgement): Notice | undefined {
  const grounds = groundsOf(judgement)
  if (!grounds || judgement.action === 'allow') return undefined
  if (judgement.action === 'deny') return denialOf(judgement, grounds)
  return notice('denied', 'The filter {{filter}} wants this command confirmed: run it in a terminal', {
    filter: grounds.filter,
  })
}
