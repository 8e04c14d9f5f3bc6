/**
 * The levels of a ticket flow as a form edits them (docs/rules/lists-and-forms.md#flow_rules,
 * docs/rules/tickets.md#ticket_flow).
 */
import { msg } from '../../lib/i18n.ts'
import { childFields, type FormField } from '../view/form-groups.ts'
import type { FormValues } from '../view/form-view.ts'
import { REFERENCES } from '../view/references.ts'

/** Approvers of one level. */
export interface FlowRule {
  strategy: string
  /** User ids; of the strategy `custom_user` only. */
  assignees: string[]
}

const MAX_LEVELS = 2
const FIRST_STRATEGY = 'super_admin'

const namesPeople = ({ strategy }: FormValues) => strategy === 'custom_user'

/**
 * The fields of one level: choices and labels of the metadata, the people only where they are named
 * one by one.
 */
export function ruleFields(field: FormField): FormField[] {
  const [strategy, assignees] = ['strategy', 'assignees'].map((name) =>
    childFields(field).find((child) => child.name === name),
  )
  return [
    { type: 'choice', name: 'strategy', label: msg('Approve strategy'), ...strategy, required: true, widget: 'select' },
    {
      name: 'assignees',
      label: assignees?.label ?? msg('Assignees'),
      type: 'field',
      related: 'user',
      many: true,
      widget: 'references',
      from: { ...(REFERENCES.user ?? { path: '', display: '' }), query: { all: true, is_service: false } },
      visibleWhen: namesPeople,
      required: true,
    } as FormField,
  ]
}

/** The rules that count: as many as the form's `approval_level` says. */
export const rulesShown = (rules: unknown, { approval_level }: FormValues): readonly FormValues[] =>
  ((rules ?? []) as readonly FormValues[]).slice(0, Number(approval_level) || 1)

/**
 * Stored rules in the order of their levels, as many as there may be, so that a level which is
 * added starts with somebody who decides.
 */
export function rulesToEdit(stored: unknown): FlowRule[] {
  const rows = (Array.isArray(stored) ? stored : []) as readonly Record<string, unknown>[]
  const inOrder = rows.toSorted((one, other) => Number(one.level) - Number(other.level))
  return Array.from({ length: MAX_LEVELS }, (_, at) => ({
    strategy: String(inOrder[at]?.strategy ?? FIRST_STRATEGY),
    assignees: (inOrder[at]?.assignees_read_only ?? []) as string[],
  }))
}

/** The value as sent: as many rules as there are levels, people only where the strategy names them. */
export function rulesToSend(rules: unknown, levels: unknown): FlowRule[] {
  const edited = (rules ?? []) as readonly FlowRule[]
  return edited
    .slice(0, Number(levels) || 1)
    .map(({ strategy, assignees }) => ({ strategy, assignees: namesPeople({ strategy }) ? assignees : [] }))
}
