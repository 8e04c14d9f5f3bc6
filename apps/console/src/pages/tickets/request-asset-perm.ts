/**
 * What somebody who asks for assets fills in (contract/tickets.yaml ticket form,
 * request-asset-perm).
 */

import { isEmpty } from '../../generic/form/check-field.ts'
import type { FormFieldView, FormGroup, FormValues } from '../../generic/view/form-view.ts'
import type { Row } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { type Org, session } from '../../session/session.ts'
import { systemUserWords } from '../assets/system-user-words.ts'
import { addDays } from '../date-range.ts'

const VALID_DAYS = 7

/** Whether a field is part of the ticket's `meta`. */
export const isMeta = (name: string) => name.startsWith('apply_')

/** Organisations that the person may ask in. */
export const memberships = (): readonly Org[] => session().profile.user_all_orgs ?? []

/** The current one if the person belongs to it, else the first of theirs. */
function firstOrg(): string | undefined {
  const own = memberships()
  return (own.find(({ id }) => id === session().org?.id) ?? own[0])?.id
}

/** A picker over the suggestions of the chosen organisation, which everybody may read. */
const suggested = (
  name: string,
  resource: string,
  display: string | ((row: Row) => string),
  filter = '',
): FormFieldView => ({
  name,
  widget: 'references',
  depends: ({ org_id }) => ({
    from: { path: `/api/v1/assets/${resource}/suggestions/?oid=${String(org_id ?? '')}${filter}`, display },
  }),
})

const eitherOf = (_: unknown, values: FormValues) =>
  isEmpty(values.apply_nodes) && isEmpty(values.apply_assets) ? t('Choose at least one node or asset') : undefined

const afterStart = (value: unknown, { apply_date_start }: FormValues) =>
  new Date(String(value)) > new Date(String(apply_date_start)) ? undefined : t('This must be later than the start')

export const requestGroups: readonly FormGroup[] = [
  {
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
  },
  {
    title: msg('Request access'),
    fields: [
      {
        ...suggested('apply_nodes', 'nodes', '{full_value}'),
        label: msg('Node'),
        check: eitherOf,
        checkedWith: ['apply_assets'],
      },
      {
        ...suggested('apply_assets', 'assets', assetWords),
        label: msg('Asset'),
        check: eitherOf,
        checkedWith: ['apply_nodes'],
      },
      {
        ...suggested('apply_system_users', 'system-users', systemUserWords, '&protocol__in=rdp,ssh,vnc,telnet'),
        label: msg('System user'),
      },
      {
        name: 'apply_actions',
        label: msg('Action'),
        widget: 'permission-actions',
        initial: ['all', 'connect', 'updownload', 'upload_file', 'download_file'],
      },
      { name: 'apply_date_start', label: msg('Starts'), initial: () => new Date().toISOString() },
      {
        name: 'apply_date_expired',
        label: msg('Expires'),
        suggest: [1, VALID_DAYS, 30],
        initial: () => addDays(new Date(), VALID_DAYS).toISOString(),
        check: afterStart,
        checkedWith: ['apply_date_start'],
      },
    ],
  },
]

/** `web-1(ssh/22, rdp/3389)`. */
function assetWords({ hostname, protocols }: Row): string {
  return `${hostname}(${Array.isArray(protocols) ? protocols.join(', ') : ''})`
}
