import type { OrgRole } from '@sallyport/contract/access.ts'
import { boolean, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, id, orgId } from '../../../kernel/database/columns.ts'
import type { GroupSource } from '../outside-source.ts'
import type { Rule } from './matching.ts'

export const authenticationGroupMapping = pgTable('authentication_group_mapping', {
  id: id(),
  org_id: orgId(),
  name: text('name').notNull(),
  priority: integer('priority').notNull().default(50),
  source: text('source').$type<GroupSource>().notNull(),
  /** The directory for whose people it holds; null for that of the settings. */
  directory: uuid('directory'),
  all_directories: boolean('all_directories').notNull().default(false),
  /** The provider or server for whose people it holds; null for that of the settings. */
  openid_provider: uuid('openid_provider'),
  all_openid_providers: boolean('all_openid_providers').notNull().default(false),
  saml2_provider: uuid('saml2_provider'),
  all_saml2_providers: boolean('all_saml2_providers').notNull().default(false),
  cas_server: uuid('cas_server'),
  all_cas_servers: boolean('all_cas_servers').notNull().default(false),
  radius_server: uuid('radius_server'),
  all_radius_servers: boolean('all_radius_servers').notNull().default(false),
  match: text('match').$type<Rule['match']>().notNull(),
  value: text('value').notNull().default(''),
  mode: text('mode').$type<Rule['mode']>().notNull().default('go_on'),
  org_role: text('org_role').$type<OrgRole | 'none'>().notNull().default('User'),
  system_role: text('system_role').$type<Rule['system_role']>().notNull().default('User'),
  is_active: boolean('is_active').notNull().default(true),
  comment: text('comment').notNull().default(''),
  created_by: createdBy(),
  date_created: dateCreated(),
})

export const authenticationGroupMappingGroup = pgTable(
  'authentication_group_mapping_group',
  {
    mapping_id: uuid('mapping_id').notNull(),
    group_id: uuid('group_id').notNull(),
  },
  ({ mapping_id, group_id }) => [primaryKey({ columns: [mapping_id, group_id] })],
)

/** The groups in which each source knew a person last. */
export const authenticationOutsideGroups = pgTable(
  'authentication_outside_groups',
  {
    user_id: uuid('user_id').notNull(),
    source: text('source').$type<GroupSource>().notNull(),
    groups: text('groups').array().notNull(),
    date_updated: dateTime('date_updated').notNull().defaultNow(),
  },
  ({ user_id, source }) => [primaryKey({ columns: [user_id, source] })],
)
