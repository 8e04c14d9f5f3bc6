import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { type SQL, sql } from 'drizzle-orm'
import { waysOf } from '../../../domains/perms/reach/index.ts'
import { theirRights } from './their-rights.ts'
import type { Proving } from './their-tables.ts'

/** The actions that there are on both sides. */
const SAME_ACTIONS =
  ACTION_BITS.connect |
  ACTION_BITS.upload_file |
  ACTION_BITS.download_file |
  ACTION_BITS.clipboard_copy |
  ACTION_BITS.clipboard_paste

/** Why a right differs. */
export type Cause =
  | 'target'
  | 'anonymous'
  | 'inactive'
  | 'membership'
  | 'account'
  | 'protocols'
  | 'organizations'
  | 'permission'
  | 'taken'
  | 'own'
  | 'node'
  | 'placed'
  | 'wider'

export const DIFFERENCES = sql`proof_difference`
export const DIFFERENCE_COLUMNS =
  'target text, account text, lost integer, gained integer, cause text, permission text, node text'

/** SQL: the bits that count: none where nobody may connect. */
const counting = (mask: SQL): SQL =>
  sql`CASE WHEN ${mask} & ${ACTION_BITS.connect} <> 0 THEN ${mask} & ${SAME_ACTIONS} ELSE 0 END`

/** SQL: a system user as their permissions name it. */
const WORDS = sql`w.protocol || ' ' || CASE WHEN w.username_same_with_user THEN '@USER'
  WHEN w.username = '' AND w.login_mode = 'manual' THEN '@INPUT' ELSE w.username END`

/**
 * Statement that keeps all rights in which both sides differ for one person, and answers how many rights
 * were compared. Ours are those on targets that came, and those that permissions that came give.
 */
export const keepDifferences = ({ version }: Proving, { theirs, ours }: { theirs: string; ours: string }): SQL => sql`
  WITH theirs AS MATERIALIZED (${theirRights(version.model, theirs)}),
  ours AS MATERIALIZED (
    SELECT w.target, ${version.model === 2 ? sql`w.account::text` : WORDS} AS account,
      min(s.name) AS label, bit_or(w.actions) AS mask, bool_or(t.id IS NOT NULL) AS is_theirs,
      min(w.permission_name) FILTER (WHERE c.id IS NULL) AS own,
      min(w.permission_name) FILTER (WHERE c.id IS NOT NULL) AS by,
      min(n.full_value) FILTER (WHERE c.id IS NOT NULL) AS node
    FROM (${waysOf(ours)}) w
    JOIN assets_listed_system_user s ON s.id = w.account
    LEFT JOIN their_target t ON t.ours = w.target LEFT JOIN their_came c ON c.id = w.permission
    LEFT JOIN assets_listed_node n ON n.id = w.node
    GROUP BY 1, 2 HAVING bool_or(t.id IS NOT NULL) OR bool_or(c.id IS NOT NULL)),
  compared AS MATERIALIZED (
    SELECT coalesce(t.name, here.name, '') AS target, coalesce(t.label, o.label) AS account,
      ${counting(sql`coalesce(t.mask, 0)`)} AS theirs, ${counting(sql`coalesce(o.mask, 0)`)} AS ours,
      t.ours AS target_id, t.account AS key, t.by_one, t.crosses, coalesce(t.taken, 0) AS taken, o.own, o.by, o.node, o.is_theirs
    FROM theirs t FULL JOIN ours o ON o.target = t.ours AND o.account = t.account
    LEFT JOIN perms_target here ON here.id = o.target),
  kept AS (
    INSERT INTO ${DIFFERENCES}
    SELECT one.target, one.account, one.theirs & ~one.ours, one.ours & ~one.theirs,
      CASE WHEN one.theirs & ~one.ours <> 0 THEN (${causeOfLoss(version.model, ours)}) ELSE (${CAUSE_OF_GAIN}) END,
      coalesce(one.own, one.by), one.node
    FROM compared one WHERE one.theirs <> one.ours)
  SELECT count(*)::int AS count FROM compared WHERE theirs <> 0 OR ours <> 0`

const causeOfLoss = (model: 2 | 3, ours: string): SQL => sql`CASE
  WHEN one.target_id IS NULL THEN 'target'
  WHEN one.key LIKE '%@ANON' THEN 'anonymous'
  WHEN NOT EXISTS (SELECT 1 FROM perms_target t WHERE t.id = one.target_id AND t.is_active) THEN 'inactive'
  WHEN NOT EXISTS (SELECT 1 FROM perms_target t JOIN orgs_membership om ON om.org_id = t.org_id
    WHERE t.id = one.target_id AND om.user_id = ${ours}::uuid) THEN 'membership'
  WHEN NOT one.by_one THEN 'protocols'
  WHEN ${
    model === 2
      ? sql`one.key LIKE 'gone %'`
      : sql`one.ours = 0 AND NOT EXISTS (
    SELECT 1 FROM perms_target t JOIN assets_listed_system_user w ON w.org_id = t.org_id
    WHERE t.id = one.target_id AND ${WORDS} = one.key)`
  } THEN 'account'
  WHEN one.crosses THEN 'organizations'
  ELSE 'permission' END`

const CAUSE_OF_GAIN = sql`CASE
  WHEN one.taken & one.ours <> 0 THEN 'taken'
  WHEN one.own IS NOT NULL THEN 'own'
  WHEN one.node IS NOT NULL AND NOT one.is_theirs THEN 'node'
  WHEN one.node IS NOT NULL THEN 'placed'
  ELSE 'wider' END`
