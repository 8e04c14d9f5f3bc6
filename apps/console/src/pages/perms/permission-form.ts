/** Parts of the forms of permissions that are the same for every family of targets. */

import type { FormContext, FormGroup } from '../../generic/view/form-view.ts'
import { msg } from '../../lib/i18n.ts'
import { addDays } from '../../lib/time/date-range.ts'

const VALID_DAYS = 36_500

/** The id that the address names, as a list to begin with. */
export const fromQuery =
  (key: string) =>
  ({ query }: FormContext) => {
    const id = query.get(key)
    return id ? [id] : undefined
  }

export const WHO: FormGroup = {
  title: msg('User'),
  lead: msg('Who may connect'),
  fields: [
    {
      name: 'users',
      initial: fromQuery('user'),
      from: {
        path: '/api/v1/users/users/',
        display: '{name}({username})',
        query: { fields_size: 'mini', order: 'name' },
      },
    },
    'user_groups',
  ],
}

export const HOW_LONG: FormGroup = {
  title: msg('Validity'),
  fields: [
    { name: 'date_start', initial: () => new Date().toISOString() },
    { name: 'date_expired', initial: () => addDays(new Date(), VALID_DAYS).toISOString() },
  ],
}

export const OTHER: FormGroup = {
  title: msg('Other'),
  folded: true,
  fields: [{ name: 'is_active', initial: true }, 'comment'],
}
