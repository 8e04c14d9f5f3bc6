import type { TargetFamily } from '@sallyport/contract/target.ts'
import { type SQL, sql } from 'drizzle-orm'

/**
 * The part of a family of targets that the permission engine needs; everything else is the same for
 * all. Its table is made known to the database by `perms_add_target_family`, in a migration.
 */
export interface GrantFamily {
  family: TargetFamily
  /**
   * View of the targets, of the domain that owns them, with alias `t`: has `id`, `org_id` and what
   * `isActive` and `fits` use.
   */
  targets: SQL
  /** SQL: whether a target may be connected to at all. */
  isActive: SQL
  /** SQL: whether a system user, alias `s`, can be used on a target. */
  fits: SQL
  /** The columns of a target by which `fits` decides: few values, which are tested once each. */
  fitsBy: readonly string[]
  /** SQL: name and address of a target that is a machine; missing where connections lead from none. */
  machine?: { name: SQL; address: SQL }
  /** Whether its targets are in nodes of the asset tree, of which whole subtrees can be granted. */
  inNodes: boolean
  /** The resource of its permissions, and its label. */
  permission: { resource: string; label: string }
  /** Messages about permissions that end: English sentences, and the pages that they link to. */
  reminder: {
    granted: { subject: string; link: { text: string; path: string } }
    administered: { subject: string; link: { text: string; path: string } }
  }
}

/** Machines (docs/rules/perms.md#asset_permission). */
export const assetFamily: GrantFamily = {
  family: 'asset',
  targets: sql`assets_listed_asset`,
  isActive: sql`t.is_active`,
  fits: sql`s.protocol IN (SELECT split_part(one, '/', 1) FROM unnest(t.protocols) one)`,
  fitsBy: ['protocols'],
  machine: { name: sql`t.hostname`, address: sql`t.ip` },
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

/** Databases, remote apps and clusters (docs/rules/perms.md#application_permission). */
const applicationFamily: GrantFamily = {
  family: 'application',
  targets: sql`applications_listed_application`,
  // A remote app is as usable as the machine that it runs on.
  isActive: sql`NOT EXISTS (SELECT 1 FROM assets_listed_asset m
    WHERE t.category = 'remote_app' AND m.id = NULLIF(t.attrs->>'asset', '')::uuid AND NOT m.is_active)`,
  // Each type of database or cluster is its own protocol; remote apps are opened on a desktop.
  fits: sql`s.protocol = CASE t.category WHEN 'remote_app' THEN 'rdp' ELSE t.type END`,
  fitsBy: ['category', 'type'],
  inNodes: false,
  permission: { resource: 'application_permission', label: 'Application permission' },
  reminder: {
    granted: {
      subject: 'Your access to applications ends soon',
      link: { text: 'My applications', path: '/ui/apps/database' },
    },
    administered: {
      subject: 'Application permissions end soon',
      link: { text: 'Application permissions', path: '/ui/perms/app-permissions' },
    },
  },
}

const families = new Map<TargetFamily, GrantFamily>(
  [assetFamily, applicationFamily].map((family) => [family.family, family]),
)

/** Undefined for a family that this installation does not have. */
export const grantFamily = (family: TargetFamily): GrantFamily | undefined => families.get(family)

export const grantFamilies = (): GrantFamily[] => [...families.values()]

/**
 * The column of `perms_permission_target` that names targets of a family; `pt` is the table's
 * alias.
 */
export const targetColumn = (family: TargetFamily): SQL => sql`pt.${sql.identifier(family)}`

/**
 * Query of the ids of the nodes that a target is in or below; empty for families that are in no
 * nodes.
 */
export function nodesAbove(family: TargetFamily, id: SQL): SQL {
  return grantFamily(family)?.inNodes
    ? sql`SELECT DISTINCT node_id AS id FROM assets_asset_under_node WHERE asset_id = ${id}`
    : sql`SELECT NULL::uuid AS id WHERE false`
}
