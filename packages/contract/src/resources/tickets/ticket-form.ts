/**
 * Input of a new ticket, and the content of its `meta`, by type
 * (docs/rules/tickets.md#meta_by_type). OPTIONS describes it to clients.
 */
import { ACTION_CHOICES } from '../../actions.ts'
import type { Field, Fields } from '../../define.ts'
import { APPLICATION_CATEGORIES, APPLICATION_TYPE_LABELS } from '../applications/application-types.ts'
import { TICKET_TYPES, type TicketType } from './ticket-types.ts'

/** More than anybody applies for with one reason. */
const MAX_APPLIED = 500

const words = (label: string) => ({ type: 'strings', label, readOnly: true, default: [] }) as const satisfies Field
const line = (label: string, maxLength = 256) =>
  ({ type: 'string', label, required: true, maxLength }) as const satisfies Field
const moment = (label: string) => ({ type: 'datetime', label, required: true, nullable: true }) as const satisfies Field
const permissionName = { type: 'string', label: 'Permission name', maxLength: 128 } as const satisfies Field
const systemUsers = {
  apply_system_users: {
    type: 'refs',
    label: 'System users asked for',
    to: 'system_user',
    required: true,
    nullable: true,
    maxItems: MAX_APPLIED,
  },
  apply_system_users_display: words('Names of system users asked for'),
} as const satisfies Fields
const dates = {
  apply_date_start: moment('Starts'),
  apply_date_expired: moment('Expires'),
} as const satisfies Fields

export const TICKET_META = {
  general: {},
  login_confirm: {
    apply_login_ip: { type: 'string', label: 'Address', required: true, nullable: true },
    apply_login_city: { type: 'string', label: 'City', required: true, nullable: true, maxLength: 64 },
    apply_login_datetime: moment('Time'),
  },
  apply_asset: {
    apply_permission_name: permissionName,
    apply_nodes: {
      type: 'refs',
      label: 'Nodes asked for',
      to: 'node',
      nullable: true,
      default: [],
      maxItems: MAX_APPLIED,
    },
    apply_nodes_display: words('Names of nodes asked for'),
    apply_assets: { type: 'refs', label: 'Assets asked for', to: 'asset', nullable: true, maxItems: MAX_APPLIED },
    apply_assets_display: words('Names of assets asked for'),
    ...systemUsers,
    apply_actions: { type: 'multichoice', label: 'Actions', choices: ACTION_CHOICES, required: true, nullable: true },
    apply_actions_display: words('Names of actions asked for'),
    ...dates,
  },
  apply_application: {
    apply_permission_name: permissionName,
    apply_category: {
      type: 'choice',
      label: 'Category',
      choices: APPLICATION_CATEGORIES,
      required: true,
      nullable: true,
    },
    apply_category_display: { type: 'string', label: 'Category name', readOnly: true, nullable: true },
    apply_type: { type: 'choice', label: 'Type', choices: APPLICATION_TYPE_LABELS, required: true, nullable: true },
    apply_type_display: { type: 'string', label: 'Type name', readOnly: true, nullable: true },
    apply_applications: {
      type: 'refs',
      label: 'Applications asked for',
      to: 'application',
      required: true,
      nullable: true,
      maxItems: MAX_APPLIED,
    },
    apply_applications_display: words('Names of applications asked for'),
    ...systemUsers,
    ...dates,
  },
  login_asset_confirm: {
    apply_login_user: line('User'),
    apply_login_asset: line('Asset'),
    apply_login_system_user: line('System user', 64),
  },
  command_confirm: {
    apply_run_user: line('User'),
    apply_run_asset: line('Asset'),
    apply_run_system_user: line('System user', 64),
    apply_run_command: { type: 'text', label: 'Command', required: true },
    apply_from_session_id: { type: 'uuid', label: 'Session' },
    // For a command that waits on the machines of a batch command, in place of a session.
    apply_from_command_execution_id: { type: 'uuid', label: 'Batch command' },
    apply_from_cmd_filter_rule_id: { type: 'uuid', label: 'Command filter rule' },
    apply_from_cmd_filter_id: { type: 'uuid', label: 'Command filter' },
    // As they were when it was asked: the rule may be changed or deleted since.
    apply_from_cmd_filter_name: { type: 'string', label: 'Command filter' },
    apply_from_cmd_filter_rule_priority: { type: 'integer', label: 'Priority' },
    apply_run_command_match: { type: 'string', label: 'What the rule found' },
  },
} as const satisfies Record<TicketType, Fields>

/** The body of POST tickets/open/; `meta` is that of the type. */
export const openFields = (type: TicketType): Fields => ({
  title: { type: 'string', label: 'Title', required: true, maxLength: 256 },
  type: { type: 'choice', label: 'Type', choices: TICKET_TYPES, required: true },
  org_id: { type: 'string', label: 'Organization', required: true, maxLength: 36 },
  comment: { type: 'text', label: 'Comment', default: '', maxLength: 10_000 },
  meta: { type: 'object', label: 'Meta', required: true, fields: TICKET_META[type] },
})
