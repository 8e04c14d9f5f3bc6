import { type Draft, defineResource, type Row } from '../../define.ts'
import { CRUD } from '../../operations.ts'

/** How few and how many people a secret is shared among. */
export const HOLDERS = { min: 2, max: 20 } as const

/**
 * Accounts that some of several named people open together when Sallyport is not there: sealed in
 * files that each of them keeps (docs/operate-accounts.md, break-glass).
 */
export const breakGlassBundle = defineResource({
  name: 'break_glass_bundle',
  path: '/api/v1/accounts/break-glass-bundles/',
  label: 'Break-glass bundle',
  scope: 'org',
  operations: CRUD,
  needsLicense: true,
  permission: { list: ['org_admin'], write: ['org_admin'] },
  display: '{name}',
  fields: {
    id: { type: 'uuid', label: 'ID' },
    name: { type: 'string', label: 'Name', required: true, maxLength: 128, unique: 'org' },
    assets: {
      type: 'refs',
      label: 'Assets',
      helpText: 'The passwords and keys of their accounts are in the bundle',
      to: 'asset',
      maxItems: 1000,
    },
    apps: { type: 'refs', label: 'Applications', to: 'application', maxItems: 1000 },
    usernames: {
      type: 'strings',
      label: 'Usernames',
      maxItems: 100,
      helpText: 'Only accounts with these usernames; empty for all',
    },
    holders: {
      type: 'refs',
      label: 'Holders',
      helpText: 'Each gets a part by mail; none opens anything alone',
      to: 'user',
      maxItems: HOLDERS.max,
    },
    threshold: {
      type: 'integer',
      label: 'How many of them open it',
      helpText: 'Such as 2 of 3: it opens without the third, and not by one alone',
      default: HOLDERS.min,
      min: HOLDERS.min,
      max: HOLDERS.max,
    },
    state: {
      type: 'choice',
      label: 'State',
      choices: { draft: 'Not sealed yet', sealed: 'Sealed', opened: 'Opened' },
      readOnly: true,
    },
    accounts_amount: { type: 'integer', label: 'Accounts in it', readOnly: true },
    outdated_amount: { type: 'integer', label: 'Changed since', readOnly: true },
    date_sent: { type: 'datetime', label: 'Sealed and sent', nullable: true, readOnly: true },
    date_opened: { type: 'datetime', label: 'Date opened', nullable: true, readOnly: true },
    comment: { type: 'text', label: 'Comment' },
    created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true },
    date_created: { type: 'datetime', label: 'Created', readOnly: true },
    date_updated: { type: 'datetime', label: 'Updated', readOnly: true },
    org_id: { type: 'string', label: 'Organization', readOnly: true },
    org_name: { type: 'string', label: 'Organization name', readOnly: true },
  },
  search: ['name'],
  filters: ['name'],
  ordering: ['name', 'date_sent'],
  defaultOrder: ['name'],
})
export type BreakGlassBundle = Row<typeof breakGlassBundle>
export type BreakGlassBundleDraft = Draft<typeof breakGlassBundle>
