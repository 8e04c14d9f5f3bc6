import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../kernel/kernel.ts'
import { addPreviewPart, type Look, orgOfLook } from '../../../kernel/resource/preview/parts.ts'
import { type Meeting, type MetRight, metRights } from './met-rights.ts'
import { touchedKinds } from './touched.ts'

/** How a right is judged by rules: equal keys are judged alike; `names` say by whom or by what. */
export interface Ruling {
  key: string
  names: string[]
}

/** Rules that judge sessions or what is done in them, and give no right themselves. */
export interface JudgingRules {
  /** Their key in the answer. */
  name: string
  /** The kinds by which changes of them are noted (`kernel_watch_rights`). */
  kinds: readonly string[]
  /** The people, targets and accounts that the changed ones meet in this state. */
  meets: (look: Look) => Promise<Meeting[]>
  /** How each right is judged in this state; undefined: not at all. */
  judge: (look: Look, rights: readonly MetRight[]) => Promise<(Ruling | undefined)[]>
}

interface Before {
  people: number
  targets: number
  rights: MetRight[] | undefined
  rulings: (Ruling | undefined)[]
}

interface Changed {
  right: MetRight
  before: string[] | null
  after: string[] | null
}

/** Says in previews which rights rules begin to judge, judge no longer, and judge in another way. */
export function addRulesToPreviews(kernel: Kernel, rules: JudgingRules): void {
  const { name, kinds, meets, judge } = rules
  const isTouched = async ({ db }: Look) => (await touchedKinds(db)).some((kind) => kinds.includes(kind))
  addPreviewPart(kernel, {
    first: async (look): Promise<Meeting[] | undefined> => ((await isTouched(look)) ? meets(look) : undefined),
    async before(look, made): Promise<Before | undefined> {
      if (!made) return undefined
      const meetings = [...made, ...(await meets(look))]
      const met = await metRights(look.db, { name, orgId: orgOfLook(look) }, meetings)
      return { ...met, rights: met.rights, rulings: await judge(look, met.rights ?? []) }
    },
    async after(look, before) {
      if (!before) return { [name]: { ...UNTOUCHED } }
      const { people, targets, rights, rulings } = before
      const now = await judge(look, rights ?? [])
      const isGone = await goneIn(look, rights ?? [])
      const changed = (rights ?? []).flatMap((right, at): Changed[] => {
        const [was, is] = [rulings[at], now[at]]
        return isGone(right) || was?.key === is?.key
          ? []
          : [{ right, before: was?.names ?? null, after: is?.names ?? null }]
      })
      return {
        [name]: {
          is_exact: rights !== undefined,
          touched: { people, targets },
          begin: await listed(
            look,
            changed.filter((one) => one.before === null),
          ),
          end: await listed(
            look,
            changed.filter((one) => one.after === null),
          ),
          others: await listed(
            look,
            changed.filter((one) => one.before !== null && one.after !== null),
          ),
        },
      }
    },
  })
}

const NONE = { count: 0, people: 0, targets: 0, rows: [] }
const UNTOUCHED = { is_exact: true, touched: { people: 0, targets: 0 }, begin: NONE, end: NONE, others: NONE }

/** Whether a right is gone with its person, target or account: then nobody judges it in another way. */
async function goneIn({ db }: Look, rights: readonly MetRight[]): Promise<(right: MetRight) => boolean> {
  const all = (part: Part) => sql`${sql.param([...new Set(rights.map((right) => right[part]))])}::uuid[]`
  const { rows } = await db.execute<{ id: string }>(sql`
    SELECT id FROM users_account WHERE id = ANY(${all('person')})
    UNION ALL SELECT id FROM perms_target WHERE id = ANY(${all('target')})
    UNION ALL SELECT id FROM assets_listed_system_user WHERE id = ANY(${all('account')})`)
  const there = new Set(rows.map(({ id }) => id))
  return ({ person, target, account }) => ![person, target, account].every((id) => there.has(id))
}

/** A page of them, by names. */
async function listed({ db, page }: Look, changed: readonly Changed[]) {
  if (!changed.length) return NONE
  // Each name once: joined to every right, they would take seconds.
  const { rows } = await db.execute<Named>(sql`
    SELECT id, name || '(' || username || ')' AS name FROM users_account WHERE id = ANY(${ids(changed, 'person')})
    UNION ALL SELECT id, CASE WHEN family = 'asset' THEN name || '(' || address || ')' ELSE name END
    FROM perms_target WHERE id = ANY(${ids(changed, 'target')})
    UNION ALL SELECT id, name FROM assets_listed_system_user WHERE id = ANY(${ids(changed, 'account')})`)
  const names = new Map(rows.map((row) => [row.id, row]))
  const named = changed.map(({ right, before, after }) => {
    const [person, target, account] = [right.person, right.target, right.account].map((id) => names.get(id)?.name ?? '')
    return {
      key: [person, target, account].join('\n'),
      row: {
        person: { id: right.person, name: person },
        target: { id: right.target, name: target, family: right.family },
        account: { id: right.account, name: account },
        before,
        after,
      },
    }
  })
  named.sort((one, other) => (one.key < other.key ? -1 : 1))
  const distinct = (part: 'person' | 'target') => new Set(changed.map(({ right }) => right[part])).size
  return {
    count: changed.length,
    people: distinct('person'),
    targets: distinct('target'),
    rows: named.slice(page.offset, page.offset + page.limit).map(({ row }) => row),
  }
}

interface Named extends Record<string, unknown> {
  id: string
  name: string
}

type Part = 'person' | 'target' | 'account'
const ids = (changed: readonly Changed[], part: Part) =>
  sql`${sql.param([...new Set(changed.map(({ right }) => right[part]))])}::uuid[]`
