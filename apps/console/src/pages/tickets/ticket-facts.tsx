/** Contents of the cards of a ticket, by its type (docs/rules/tickets.md#cards). */
import type { Ticket } from '@sallyport/contract/resources/tickets/ticket.ts'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Named, NamedList } from '../../design/Named.tsx'
import { Status } from '../../design/Status.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import { StateCell } from '../../generic/cells/StateCell.tsx'
import { actionWords } from '../../generic/permission-actions/action-words.ts'
import type { DetailItem } from '../../generic/view/detail-view.ts'
import { withQuery } from '../../lib/api.ts'
import { formatDate, formatDuration, parseDate } from '../../lib/format.ts'
import { msg, t } from '../../lib/i18n.ts'
import { nameOf, namesOf } from '../../lib/name-of.ts'
import { addressOf } from '../../navigation/routes.ts'
import { ruleAddress } from '../rule-address.ts'
import { stepsOf } from './Steps.tsx'
import { stateOf } from './ticket-state.ts'

export type Fact = string | DetailItem<Ticket>

/** A value of the ticket's `meta`; undefined when it is not there. */
export const metaOf = (row: Ticket, name: string): unknown => (row.meta as Readonly<Record<string, unknown>>)[name]

/** Kinds by which people ask for a permission. */
export const isRequest = ({ type }: Pick<Ticket, 'type'>) => type === 'apply_asset' || type === 'apply_application'

const WHO: readonly Fact[] = [
  'serial_num',
  { field: 'applicant_display', title: msg('Applicant') },
  { field: 'type_display', title: msg('Type') },
]
const STATE: Fact = { field: 'state', render: (row) => <StateCell {...stateOf(row)} /> }
const WHERE: readonly Fact[] = ['org_name', 'date_created', 'comment']

const currentStep = (row: Ticket) => stepsOf(row).find(({ approval_level }) => approval_level === row.approval_step)

/** The facts that tickets of a type begin with. */
export function basicFacts(row: Ticket): readonly Fact[] {
  if (row.type !== 'general') return [...WHO, STATE, ...WHERE]
  return [
    ...WHO,
    STATE,
    {
      field: 'assignees',
      title: msg('Assignees'),
      render: (general) => namesOf(currentStep(general)?.assignees_display ?? []).join(', '),
    },
    {
      field: 'processor',
      title: msg('Processor'),
      render: (general) => nameOf(currentStep(general)?.processor_display ?? ''),
    },
    ...WHERE,
  ]
}

const fromMeta = (name: string, title: string, show: (value: unknown) => ReactNode = String): Fact => ({
  field: name,
  title,
  render: (row) => {
    const value = metaOf(row, name)
    return value === null || value === undefined ? '' : show(value)
  },
})

const kept = (value: unknown) => <Named text={String(value)} />
const names = (value: unknown) =>
  Array.isArray(value) && value.length > 0 ? <NamedList texts={value.map(String)} /> : ''
const paths = (value: unknown) => (Array.isArray(value) ? value.join(', ') : '')

/**
 * A time without a zone, in the form of the language: no clock changes what somebody has written.
 */
export function asWritten(value: unknown): string {
  const text = String(value ?? '')
  return formatDate(`${text.replace(' ', 'T')}Z`, 'medium', 'UTC') || text
}

const ASKED_DATES: readonly Fact[] = [
  fromMeta('apply_date_start', msg('Starts'), asWritten),
  fromMeta('apply_date_expired', msg('Expires'), asWritten),
]

/** The request, by the ticket's type. */
export const ASKED: Readonly<Record<string, readonly Fact[]>> = {
  apply_asset: [
    fromMeta('apply_nodes_display', msg('Node'), paths),
    fromMeta('apply_assets_display', msg('Asset'), names),
    fromMeta('apply_system_users_display', msg('System user'), names),
    fromMeta('apply_actions', msg('Action'), (value) => actionWords((value ?? []) as string[])),
    ...ASKED_DATES,
  ],
  apply_application: [
    {
      field: 'apply_type_display',
      title: msg('Type'),
      render: (row) => [metaOf(row, 'apply_category_display'), metaOf(row, 'apply_type_display')].join(' / '),
    },
    fromMeta('apply_applications_display', msg('Application'), names),
    fromMeta('apply_system_users_display', msg('System user'), names),
    ...ASKED_DATES,
  ],
  login_confirm: [
    fromMeta('apply_login_ip', msg('Address')),
    fromMeta('apply_login_city', msg('City')),
    fromMeta('apply_login_datetime', msg('Signed in@@ticket'), formatDate),
  ],
  login_asset_confirm: [
    fromMeta('apply_login_asset', msg('Asset'), kept),
    fromMeta('apply_login_system_user', msg('System user'), kept),
    fromMeta('apply_login_user', msg('User'), kept),
  ],
  command_confirm: [
    fromMeta('apply_run_user', msg('User'), kept),
    fromMeta('apply_run_asset', msg('Asset'), kept),
    fromMeta('apply_run_system_user', msg('System user'), kept),
    {
      field: 'apply_from_session_id',
      title: msg('Session'),
      has: (row) => Boolean(metaOf(row, 'apply_from_session_id')),
      render: (row) => (
        <Elsewhere
          page="SessionDetail"
          id={String(metaOf(row, 'apply_from_session_id'))}
          oid={row.org_id}
          words={t('The session on {{asset}}', { asset: nameOf(String(metaOf(row, 'apply_run_asset') ?? '')) })}
        />
      ),
    },
    {
      field: 'apply_from_cmd_filter_rule_id',
      title: msg('Command filter rule'),
      has: (row) => Boolean(metaOf(row, 'apply_from_cmd_filter_rule_id')),
      render: (row) => <AskingRule row={row} />,
    },
    {
      field: 'risk_level',
      title: msg('Risk level'),
      // Being approved does not make it harmless.
      render: () => <Status tone="danger">{t('Dangerous@@risk')}</Status>,
    },
    { field: 'waiting', title: msg('Waiting time'), render: waitOf },
  ],
}

/** The rule that had the command confirmed, as it was called then. */
function AskingRule({ row }: { row: Ticket }) {
  const id = String(metaOf(row, 'apply_from_cmd_filter_rule_id'))
  const filter = metaOf(row, 'apply_from_cmd_filter_name')
  const priority = Number(metaOf(row, 'apply_from_cmd_filter_rule_priority'))
  const words = filter ? t('{{filter}}, priority {{priority}}', { filter: String(filter), priority }) : id
  const address = ruleAddress(String(metaOf(row, 'apply_from_cmd_filter_id') ?? ''), id, row.org_id)
  return <LinkedWords to={address}>{words}</LinkedWords>
}

/** How long a command waits, or has waited. */
function waitOf({ status, date_created, date_updated }: Ticket): string {
  const begin = parseDate(date_created)?.getTime()
  const end = status === 'open' ? Date.now() : parseDate(date_updated)?.getTime()
  return begin === undefined || end === undefined ? '' : formatDuration(Math.max(0, Math.round((end - begin) / 1000)))
}

/** The permission that came of an approved ticket; it has the ticket's id. */
export function assignedFacts(row: Ticket): readonly Fact[] {
  return [
    {
      field: 'apply_permission_name',
      title: msg('Permission name'),
      render: (ticket) => (
        <Elsewhere
          page={ticket.type === 'apply_application' ? 'ApplicationPermissionDetail' : 'AssetPermissionDetail'}
          id={ticket.id}
          oid={ticket.org_id}
          words={String(metaOf(ticket, 'apply_permission_name') ?? '')}
        />
      ),
    },
    ...(ASKED[row.type] ?? []),
  ]
}

interface ElsewhereProps {
  /** Route name. */
  page: string
  id: string
  /** The organization that the object lies in. */
  oid: string
  /** Instead of the id. */
  words?: string
}

/** A link to an object of the ticket's organization; plain words for people without its page. */
function Elsewhere({ page, id, oid, words = id }: ElsewhereProps) {
  const address = addressOf(page, { id })
  return address ? <Link to={withQuery(address, { oid })}>{words || id}</Link> : words || id
}
