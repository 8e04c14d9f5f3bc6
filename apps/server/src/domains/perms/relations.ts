import type { ResourceDefinition } from '@sallyport/contract/define.ts'
import { type SQL, sql } from 'drizzle-orm'
import { type PgTable, pgTable, uuid } from 'drizzle-orm/pg-core'
import type { ManyToMany } from '../../kernel/resource/mount.ts'
import {
  pairColumns,
  permsPermissionNode,
  permsPermissionSystemUser,
  permsPermissionTarget,
  permsPermissionUser,
  permsPermissionUserGroup,
} from './tables.ts'

/** Lists of a permission: those of every family, and its targets by family. */
export type LinkField = 'users' | 'user_groups' | 'system_users' | 'assets' | 'nodes' | 'applications'

/**
 * One list of a permission: its names, and how its rows are written. `t` is the alias of their
 * view.
 */
export interface Relation {
  /** Field of the permission. */
  field: LinkField
  /** Its field in the relation resource, and column in the table of pairs. */
  name: string
  definition: ResourceDefinition
  /** The table of pairs as the permission's own list uses it. */
  pairs: ManyToMany
  /**
   * The table of pairs as the relation resource reads it, where the permission has its name on the
   * wire.
   */
  table: PgTable
  /** View of the rows that the list refers to. */
  target: SQL
  /** How the relation resource and the operate log write such a row. */
  display: SQL
  /** Names by which such a row can be given on create (`<field>_display`). */
  names: SQL[]
  /** Columns that the relation resource searches. */
  searched: SQL[]
  /** Condition: rows of the organization `org`. */
  inOrg: (org: string) => SQL
}

const ownOrg = (org: string) => sql`t.org_id = ${org}::uuid`

/** A table of pairs whose column `permission` is called `owner`. */
function wireTable(table: string, owner: string, name: string): PgTable {
  return pgTable(table, { ...pairColumns(), [owner]: uuid('permission').notNull(), [name]: uuid(name).notNull() })
}

/** The people of permissions; `owner` is the permission's name in the relation resource. */
export const usersOf = (owner: string, definition: ResourceDefinition): Relation => ({
  field: 'users',
  name: 'user',
  definition,
  pairs: {
    table: permsPermissionUser,
    owner: permsPermissionUser.permission,
    target: permsPermissionUser.user,
    words: { from: sql`users_account`, text: sql`t.username` },
  },
  table: wireTable('perms_permission_user', owner, 'user'),
  target: sql`users_account`,
  display: sql`t.name`,
  names: [sql`t.name`, sql`t.username`],
  searched: [sql`t.name`, sql`t.username`],
  inOrg: (org) =>
    sql`(t.role <> 'App' AND EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = t.id AND m.org_id = ${org}::uuid))`,
})

export const userGroupsOf = (owner: string, definition: ResourceDefinition): Relation => ({
  field: 'user_groups',
  name: 'usergroup',
  definition,
  pairs: {
    table: permsPermissionUserGroup,
    owner: permsPermissionUserGroup.permission,
    target: permsPermissionUserGroup.usergroup,
    words: { from: sql`users_listed_group`, text: sql`t.name` },
  },
  table: wireTable('perms_permission_user_group', owner, 'usergroup'),
  target: sql`users_listed_group`,
  display: sql`t.name`,
  names: [sql`t.name`],
  searched: [sql`t.name`],
  inOrg: ownOrg,
})

export const systemUsersOf = (owner: string, definition: ResourceDefinition): Relation => ({
  field: 'system_users',
  name: 'systemuser',
  definition,
  pairs: {
    table: permsPermissionSystemUser,
    owner: permsPermissionSystemUser.permission,
    target: permsPermissionSystemUser.systemuser,
    words: { from: sql`assets_listed_system_user`, text: sql`t.name` },
  },
  table: wireTable('perms_permission_system_user', owner, 'systemuser'),
  target: sql`assets_listed_system_user`,
  display: sql`t.name || '(' || CASE WHEN t.username_same_with_user THEN '*' ELSE t.username END || ')'`,
  names: [sql`t.name`],
  searched: [sql`t.name`, sql`t.username`],
  inOrg: ownOrg,
})

export const assetsOf = (owner: string, definition: ResourceDefinition): Relation => ({
  field: 'assets',
  name: 'asset',
  definition,
  pairs: {
    table: permsPermissionTarget,
    owner: permsPermissionTarget.permission,
    target: permsPermissionTarget.asset,
    words: { from: sql`assets_listed_asset`, text: sql`t.hostname` },
  },
  table: wireTable('perms_permission_target', owner, 'asset'),
  target: sql`assets_listed_asset`,
  display: sql`t.hostname`,
  names: [sql`t.hostname`, sql`t.ip`],
  searched: [sql`t.id::text`, sql`t.hostname`, sql`t.ip`],
  inOrg: ownOrg,
})

export const applicationsOf = (owner: string, definition: ResourceDefinition): Relation => ({
  field: 'applications',
  name: 'application',
  definition,
  pairs: {
    table: permsPermissionTarget,
    owner: permsPermissionTarget.permission,
    target: permsPermissionTarget.application,
    words: { from: sql`applications_listed_application`, text: sql`t.name` },
  },
  table: wireTable('perms_permission_target', owner, 'application'),
  target: sql`applications_listed_application`,
  display: sql`t.name || '(' || t.type || ')'`,
  names: [sql`t.name`],
  searched: [sql`t.name`],
  inOrg: ownOrg,
})

export const nodesOf = (owner: string, definition: ResourceDefinition): Relation => ({
  field: 'nodes',
  name: 'node',
  definition,
  pairs: {
    table: permsPermissionNode,
    owner: permsPermissionNode.permission,
    target: permsPermissionNode.node,
    words: { from: sql`assets_listed_node`, text: sql`t.full_value` },
  },
  table: wireTable('perms_permission_node', owner, 'node'),
  target: sql`assets_listed_node`,
  display: sql`t.full_value`,
  names: [sql`t.full_value`],
  searched: [sql`t.value`],
  inOrg: ownOrg,
})
