import type { Target, TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'

/**
 * What the permission engine has to know of a family of targets; everything else is the same for
 * all of them.
 */
export interface GrantFamily {
  family: TargetFamily
  /**
   * View of the domain that owns the targets: `id`, `org_id` and what `isActive` and `fits` ask.
   * `t` is its alias in them.
   */
  targets: SQL
  /** Whether a target may be connected to at all. */
  isActive: SQL
  /** Whether a system user, alias `s`, can be used on a target. */
  fits: SQL
  /** Its targets lie in the nodes of assets, and whole subtrees of those can be granted. */
  inNodes: boolean
  /** The resource of its permissions, and its label. */
  permission: { resource: string; label: string }
  /**
   * What people are told of permissions that end: English sentences, and the pages that they lead
   * to.
   */
  reminder: {
    granted: { subject: string; link: { text: string; path: string } }
    administered: { subject: string; link: { text: string; path: string } }
  }
}

/** Machines (contract/perms.yaml `asset_permission`). */
export const assetFamily: GrantFamily = {
  family: 'asset',
  targets: sql`assets_listed_asset`,
  isActive: sql`t.is_active`,
  fits: sql`s.protocol IN (SELECT split_part(one, '/', 1) FROM unnest(t.protocols) one)`,
  inNodes: true,
  permission: { resource: 'asset_permission', label: 'Asset permission' },
  reminder: {
    granted: { subject: 'Your access to assets ends soon', link: { text: 'My assets', path: '/ui/' } },
    administered: {
      subject: 'Asset permissions end soon',
      link: { text: 'Asset permissions', path: '/ui/perms/asset-permissions' },
    },
  },
}

const families = new Map<TargetFamily, GrantFamily>([[assetFamily.family, assetFamily]])

/**
 * Lets targets of one more family be granted. Its table is named to the database by
 * `perms_add_target_family`, in a migration.
 */
export function addGrantFamily(family: GrantFamily): void {
  families.set(family.family, family)
}

/** Undefined for a family of which this installation has none. */
export const grantFamily = (family: TargetFamily): GrantFamily | undefined => families.get(family)

export const grantFamilies = (): GrantFamily[] => [...families.values()]

/**
 * The column of `perms_permission_target` that names targets of a family; `pt` is the table's
 * alias.
 */
export const targetColumn = (family: TargetFamily): SQL => sql`pt.${sql.identifier(family)}`

/**
 * The nodes that a target lies in or under, as a query of ids; none for families that lie in no
 * nodes.
 */
export function nodesAbove({ family, id }: Target): SQL {
  return grantFamily(family)?.inNodes
    ? sql`SELECT DISTINCT node_id AS id FROM assets_asset_under_node WHERE asset_id = ${id}::uuid`
    : sql`SELECT NULL::uuid AS id WHERE false`
}
