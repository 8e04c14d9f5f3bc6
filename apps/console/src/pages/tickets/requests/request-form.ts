/**
 * Common parts of the forms that ask for access
 * (docs/rules/tickets.md#request_forms). A kind of request is data of `RequestPerm.page.tsx`.
 */

import type { TicketType } from '@sallyport/contract/resources/tickets/ticket-types.ts'
import type { FormContext, FormFieldView, FormGroup, FormValues } from '../../../generic/view/form-view.ts'
import type { Row } from '../../../lib/api.ts'
import { msg, t } from '../../../lib/i18n.ts'
import { type Org, session } from '../../../session/session.ts'

const VALID_HOURS = 8
/** Days that somebody may choose by one press. */
const LONGER_DAYS = [1, 7, 30] as const

/** A kind of request, as its form needs it. */
export interface AccessRequest {
  type: TicketType
  groups: readonly FormGroup[]
  /** The form's part of the ticket's `meta` → as it is sent; as it is when absent. */
  toMeta?: (meta: FormValues) => FormValues
  /** Fields of the form, by those of `meta` that the server refuses; the same when absent. */
  shownAs?: Readonly<Record<string, string>>
}

/** A list with what the address names, as a page does that leads here to ask for it. */
export const fromAddress =
  (key: string): NonNullable<FormFieldView['initial']> =>
  ({ query }: FormContext) => {
    const id = query.get(key)
    return id ? [id] : undefined
  }

/** Whether a field is part of the ticket's `meta`. */
export const isMeta = (name: string) => name.startsWith('apply_')

/** Organizations that the person may ask in. */
export const memberships = (): readonly Org[] => session().profile.user_all_orgs ?? []

/** The current one if the person belongs to it, else the first of theirs. */
function firstOrg(): string | undefined {
  const own = memberships()
  return (own.find(({ id }) => id === session().org?.id) ?? own[0])?.id
}

/** The suggestions of the chosen organization, which everybody may read. */
export const suggestionsOf = (
  path: string,
  org_id: unknown,
  display: string | ((row: Row) => string),
  filters: Readonly<Record<string, string>> = {},
): NonNullable<FormFieldView['from']> => ({
  path: `${path}suggestions/?${new URLSearchParams({ oid: String(org_id ?? ''), ...filters })}`,
  display,
})

export const BASIC: FormGroup = {
  title: msg('Basic'),
  fields: [
    'title',
    {
      name: 'org_id',
      widget: 'select',
      initial: firstOrg,
      // Known only when somebody is signed in.
      depends: () => ({ choices: memberships().map(({ id, name }) => ({ value: id, display_name: name })) }),
    },
    'comment',
  ],
}

const afterStart = (value: unknown, { apply_date_start }: FormValues) =>
  new Date(String(value)) > new Date(String(apply_date_start)) ? undefined : t('This must be later than the start')

/** From when and until when. */
export const DATES: readonly FormFieldView[] = [
  { name: 'apply_date_start', label: msg('Starts'), initial: () => new Date().toISOString() },
  {
    name: 'apply_date_expired',
    label: msg('Expires'),
    suggest: LONGER_DAYS,
    initial: () => new Date(Date.now() + VALID_HOURS * 3_600_000).toISOString(),
    check: afterStart,
    checkedWith: ['apply_date_start'],
  },
]
