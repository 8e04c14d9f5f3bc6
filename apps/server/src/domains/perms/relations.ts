import { assetPermissionAssetRelation } from '@sallyport/contract/resources/perms/asset-permission-asset-relation.ts'
import { assetPermissionNodeRelation } from '@sallyport/contract/resources/perms/asset-permission-node-relation.ts'
import { assetPermissionSystemUserRelation } from '@sallyport/contract/resources/perms/asset-permission-system-user-relation.ts'
import { assetPermissionUserGroupRelation } from '@sallyport/contract/resources/perms/asset-permission-user-group-relation.ts'
import { assetPermissionUserRelation } from '@sallyport/contract/resources/perms/asset-permission-user-relation.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { ManyToMany } from '../../kernel/resource/mount.ts'
import { columnOf } from '../../kernel/resource/mount.ts'
import {
  permsAssetPermissionAsset,
  permsAssetPermissionNode,
  permsAssetPermissionSystemUser,
  permsAssetPermissionUser,
  permsAssetPermissionUserGroup,
} from './tables.ts'

/** One of the five lists of a permission: what it is called where, and how the rows it points at are written. `t` is their table's alias. */
export interface Relation {
  /** Field of the permission. */
  field: 'users' | 'user_groups' | 'assets' | 'nodes' | 'system_users'
  /** Field of the relation resource; column of the pair table. */
  name: 'user' | 'usergroup' | 'asset' | 'node' | 'systemuser'
  definition:
    | typeof assetPermissionUserRelation
    | typeof assetPermissionUserGroupRelation
    | typeof assetPermissionAssetRelation
    | typeof assetPermissionNodeRelation
    | typeof assetPermissionSystemUserRelation
  pairs: ManyToMany
  /** Table of the rows pointed at. */
  target: SQL
  /** How the permission lists them. */
  listed: SQL
  /** How the relation resource and the operate log write one. */
  display: SQL
  /** Names by which a create may point at one (`<field>_display`). */
  names: SQL[]
  /** Searched in the relation resource. */
  searched: SQL[]
  /** Rows of the organisation `org`. */
  inOrg: (org: string) => SQL
}

const pairsOf = (
  table:
    | typeof permsAssetPermissionUser
    | typeof permsAssetPermissionUserGroup
    | typeof permsAssetPermissionAsset
    | typeof permsAssetPermissionNode
    | typeof permsAssetPermissionSystemUser,
  name: string,
): ManyToMany => ({
  table,
  owner: table.assetpermission,
  target: columnOf(table, name),
})
const ownOrg = (org: string) => sql`t.org_id = ${org}::uuid`

export const RELATIONS: readonly Relation[] = [
  {
    field: 'users',
    name: 'user',
    definition: assetPermissionUserRelation,
    pairs: pairsOf(permsAssetPermissionUser, 'user'),
    target: sql`users_user`,
    listed: sql`t.username`,
    display: sql`t.name`,
    names: [sql`t.name`, sql`t.username`],
    searched: [sql`t.name`, sql`t.username`],
    inOrg: (org) => sql`(t.role <> 'App' AND EXISTS (SELECT 1 FROM orgs_member m WHERE m."user" = t.id AND m.org = ${org}::uuid))`,
  },
  {
    field: 'user_groups',
    name: 'usergroup',
    definition: assetPermissionUserGroupRelation,
    pairs: pairsOf(permsAssetPermissionUserGroup, 'usergroup'),
    target: sql`users_user_group`,
    listed: sql`t.name`,
    display: sql`t.name`,
    names: [sql`t.name`],
    searched: [sql`t.name`],
    inOrg: ownOrg,
  },
  {
    field: 'assets',
    name: 'asset',
    definition: assetPermissionAssetRelation,
    pairs: pairsOf(permsAssetPermissionAsset, 'asset'),
    target: sql`assets_asset`,
    listed: sql`t.hostname`,
    display: sql`t.hostname`,
    names: [sql`t.hostname`, sql`t.ip`],
    searched: [sql`t.id::text`, sql`t.hostname`, sql`t.ip`],
    inOrg: ownOrg,
  },
  {
    field: 'nodes',
    name: 'node',
    definition: assetPermissionNodeRelation,
    pairs: pairsOf(permsAssetPermissionNode, 'node'),
    target: sql`assets_node`,
    listed: sql`t.full_value`,
    display: sql`t.full_value`,
    names: [sql`t.full_value`],
    searched: [sql`t.value`],
    inOrg: ownOrg,
  },
  {
    field: 'system_users',
    name: 'systemuser',
    definition: assetPermissionSystemUserRelation,
    pairs: pairsOf(permsAssetPermissionSystemUser, 'systemuser'),
    target: sql`assets_system_user`,
    listed: sql`t.name`,
    display: sql`t.name || '(' || CASE WHEN t.username_same_with_user THEN '*' ELSE t.username END || ')'`,
    names: [sql`t.name`],
    searched: [sql`t.name`, sql`t.username`],
    inOrg: ownOrg,
  },
]
