/** The fields of every further directory, provider and server whose people sign in here. */
import type { Fields } from './define.ts'

/** Before the fields of its kind. */
export const PROVIDER_HEAD = {
  id: { type: 'uuid', label: 'ID', readOnly: true },
  name: {
    type: 'string',
    label: 'Name',
    helpText: 'On its button of the sign-in page',
    required: true,
    maxLength: 32,
    unique: 'global',
  },
  priority: {
    type: 'integer',
    label: 'Priority',
    helpText: 'Smaller numbers come first; the provider of the settings comes before all',
    min: 1,
    max: 100,
    default: 50,
  },
  is_active: {
    type: 'boolean',
    label: 'Active',
    helpText: 'While it is off its people cannot sign in, and their sessions end',
    default: true,
  },
} as const satisfies Fields

/** Whether strangers come in by it. */
export const NOBODY_NEW = {
  type: 'boolean',
  label: 'Nobody new',
  helpText: 'Only people who have signed in by this provider before may do so',
  default: false,
} as const

/** After them. */
export const FURTHER_TAIL = {
  people_amount: { type: 'integer', label: 'Number of users', readOnly: true },
  comment: { type: 'text', label: 'Comment' },
  created_by: { type: 'string', label: 'Created by', nullable: true, readOnly: true, maxLength: 30 },
  date_created: { type: 'datetime', label: 'Created', readOnly: true },
} as const satisfies Fields

/** How it is found in lists. */
export const FURTHER_LISTED = {
  mini: ['id', 'name'],
  filters: ['name', 'is_active'],
  ordering: ['priority', 'name', 'date_created'],
  defaultOrder: ['priority', 'name'],
} as const
