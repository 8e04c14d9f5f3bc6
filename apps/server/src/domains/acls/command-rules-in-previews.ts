import { sql } from 'drizzle-orm'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Look } from '../../kernel/resource/preview/parts.ts'
import { boundTo, commandRulesOf } from '../command-filters/index.ts'
import { addRulesToPreviews, type Meeting, type MetRight, type Ruling } from '../perms/index.ts'

/** Says in previews whose commands are judged from then on, no longer, or by other rules. */
export function addCommandRulesToPreviews(kernel: Kernel): void {
  addRulesToPreviews(kernel, { name: 'commands', kinds: ['command_filter'], meets, judge })
}

const TOUCHED = sql`SELECT id FROM preview_change WHERE kind = 'command_filter'`

/** By each kind of binding: a person's sessions everywhere, everybody's on a target. */
async function meets({ db }: Look): Promise<Meeting[]> {
  const { people, system_users, targets } = await boundTo(db, TOUCHED)
  const query = (ids: readonly string[]) =>
    ids.length ? sql`SELECT unnest(${sql.param([...ids])}::uuid[]) AS id` : undefined
  return [{ people: query(people) }, { accounts: query(system_users) }, { targets: query(targets) }].filter((one) =>
    Object.values(one).some(Boolean),
  )
}

/** By the rules that the command guard asks for in each session. */
async function judge({ db }: Look, rights: readonly MetRight[]): Promise<(Ruling | undefined)[]> {
  const situations = rights.map(({ person, family, target, account }) => ({
    userId: person,
    systemUserId: account,
    target: { family, id: target },
  }))
  const judged = await commandRulesOf(db, situations)
  return judged.map((rules) => {
    if (!rules.length) return undefined
    const names = [...new Set(rules.map(({ filter_name }) => filter_name))]
    return { key: JSON.stringify(rules.map(({ filter_name: _, ...rule }) => rule)), names }
  })
}
