/** What those who decide change of a request, in the form in which it was asked for. */

import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import type { FormFieldView, FormValues } from '../../../generic/view/form-view.ts'
import { type AccessRequest, isMeta } from './request-form.ts'

/** The form's one field for category and type, which stay as they are. */
const KIND = 'apply_category_type'

const nameOf = (field: string | FormFieldView) => (typeof field === 'string' ? field : field.name)

export const amendedFields = ({ groups }: AccessRequest): (string | FormFieldView)[] =>
  groups.flatMap(({ fields }) => fields.filter((field) => isMeta(nameOf(field)) && nameOf(field) !== KIND))

/** The request as it is now. Dates are as they were written, in nobody's zone. */
export function asForm({ meta, org_id }: Pick<Ticket, 'meta' | 'org_id'>): FormValues {
  const asked = meta as Readonly<Record<string, unknown>>
  const moment = (name: string) => new Date(String(asked[name] ?? '').replace(' ', 'T')).toISOString()
  return {
    ...asked,
    org_id,
    [KIND]: [asked.apply_category, asked.apply_type],
    apply_date_start: moment('apply_date_start'),
    apply_date_expired: moment('apply_date_expired'),
  }
}

/** Only what was changed is sent: dates that were not stay those of the applicant's zone. */
export const changedOnly = (before: FormValues, values: FormValues): FormValues =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => isMeta(name) && name !== KIND && JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  )
