import type { AsCodeChange, AsCodeField, AsCodePlan } from '@sallyport/contract/as-code.ts'
import type { Context } from '../command.ts'
import { clean } from '../table.ts'

const COLORS = { create: '\x1b[32m', update: '\x1b[33m', delete: '\x1b[31m' } as const
const SIGNS = { create: '+', update: '~', delete: '-' } as const
const PLAIN = '\x1b[0m'
/** Characters of one value; all of it is in the JSON. */
const LONGEST = 120
/** Names of each list of people. */
const MOST_NAMED = 20

type Action = AsCodeChange['action']

/** A plan for people, like a diff. */
export function planInWords(context: Context, plan: AsCodePlan, isColored: boolean): string {
  const { say } = context
  const colored = (action: Action, text: string) => (isColored ? `${COLORS[action]}${text}${PLAIN}` : text)
  const lines = plan.changes.flatMap(({ kind, name, action, fields }) => [
    colored(action, `${SIGNS[action]} ${kind} ${clean(name)}`),
    ...fields.flatMap((field) => fieldLines(context, field, action, colored)),
  ])
  const counts = say('{{created}} to create, {{updated}} to change, {{deleted}} to remove, {{unchanged}} as they are', {
    ...plan,
  })
  return [...lines, ...(lines.length ? [''] : []), counts, ...accessLines(context, plan, colored)].join('\n')
}

function fieldLines(
  { say }: Context,
  { field, before, after, added = [], removed = [], is_secret }: AsCodeField,
  action: Action,
  colored: (action: Action, text: string) => string,
): string[] {
  if (is_secret) return [`    ${field}: ${say('(secret)')}`]
  if (added.length || removed.length)
    return [
      ...removed.map((one) => colored('delete', `    ${field}: - ${shown(one)}`)),
      ...added.map((one) => colored('create', `    ${field}: + ${shown(one)}`)),
    ]
  return [`    ${field}: ${action === 'create' ? shown(after) : `${shown(before)} → ${shown(after)}`}`]
}

function shown(value: unknown): string {
  const text = clean(
    typeof value === 'string' && /^[\p{L}\p{N}/._@:+-]+$/u.test(value) ? value : JSON.stringify(value ?? null),
  )
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

interface Rights {
  count: number
  people: number
  targets: number
  rows: readonly Record<'person' | 'target' | 'account', { name: string }>[]
}

function accessLines(
  { say }: Context,
  { access, access_refusal }: AsCodePlan,
  colored: (action: Action, text: string) => string,
): string[] {
  if (access_refusal) return ['', say('Who gains and loses access: {{why}}', { why: clean(access_refusal) })]
  if (!access) return []
  const { gained, lost, changed, sessions_end, touched } = access as {
    gained: Rights
    lost: Rights
    changed: Rights
    sessions_end: { count: number }
    touched: { people: number; targets: number }
    is_exact: boolean
  }
  if (!access.is_exact) return ['', say('Access may change (people: {{people}}, targets: {{targets}})', { ...touched })]
  const part = (title: string, action: Action, { count, rows }: Rights) =>
    count
      ? [
          '',
          title,
          ...rows
            .slice(0, MOST_NAMED)
            .map(({ person, target, account }) =>
              colored(
                action,
                `  ${SIGNS[action]} ${[person, target, account].map(({ name }) => clean(name)).join('  ')}`,
              ),
            ),
          ...(count > Math.min(rows.length, MOST_NAMED) ? ['  …'] : []),
        ]
      : []
  return [
    ...part(say('Gained access (people: {{people}}, targets: {{targets}}):', { ...gained }), 'create', gained),
    ...part(say('Lost access (people: {{people}}, targets: {{targets}}):', { ...lost }), 'delete', lost),
    ...part(say('Changed actions (people: {{people}}, targets: {{targets}}):', { ...changed }), 'update', changed),
    ...(sessions_end.count ? ['', say('Live sessions that end: {{count}}', { ...sessions_end })] : []),
  ]
}
