import { type SQL, sql } from 'drizzle-orm'

/**
 * Query of what a person reaches there now, by their rules; one who is switched off or has expired reaches
 * nothing. Columns: `target`, `ours`, `name`, `account` (the key by which it is compared), `label`, `mask`, `taken` (bits that a permission takes
 * away), `by_one` (whether one permission alone gives the account and the protocol), and `crosses` (whether each permission
 * for it names a group or the target of another organization).
 */
export const theirRights = (model: 2 | 3, person: string): SQL => sql`
  WITH p AS MATERIALIZED (
    SELECT p.id, p.org, p.actions, p.protocols, bool_and(coalesce(named.org, p.org) <> p.org) AS crosses
    FROM (SELECT permission, NULL::text AS org FROM their_naming WHERE person = ${person}::uuid
      UNION ALL SELECT g.permission, one.org FROM their_member m JOIN their_naming_group g ON g.grp = m.grp
      LEFT JOIN their_group one ON one.id = m.grp WHERE m.person = ${person}::uuid) named
    JOIN their_permission p ON p.id = named.permission
    WHERE EXISTS (SELECT 1 FROM their_person t WHERE t.id = ${person}::uuid AND t.is_valid) GROUP BY 1, 2, 3, 4),
  covered AS MATERIALIZED (
    SELECT c.permission, c.target FROM p JOIN their_covering c ON c.permission = p.id
    UNION SELECT c.permission, place.target FROM p JOIN their_covering_node c ON c.permission = p.id
    JOIN their_place place ON place.path <@ c.path),
  reached AS MATERIALIZED (
    SELECT t.id, t.ours, t.name, t.protocols, p.id AS permission, p.actions, p.protocols AS allowed,
      p.crosses OR p.org <> t.org AS crosses
    FROM covered c JOIN p ON p.id = c.permission JOIN their_target t ON t.id = c.target AND t.is_active)
  ${model === 2 ? OF_2 : OF_3}`

/** System users of a permission count on all its targets that speak their protocol. */
const OF_2 = sql`
  SELECT r.id AS target, r.ours, r.name, coalesce(a.ours::text, 'gone ' || a.account) AS account, a.name AS label,
    bit_or(r.actions) AS mask, 0 AS taken, true AS by_one, bool_and(r.crosses) AS crosses
  FROM reached r JOIN their_account_of o ON o.permission = r.permission JOIN their_account a ON a.account = o.account
  WHERE r.protocols IS NULL OR a.protocol = ANY (r.protocols)
  GROUP BY 1, 2, 3, 4, 5`

/**
 * All permissions of a person for a target count together: their protocols, and for each account their
 * actions. What one takes away by \`!name\` is taken away at the end.
 */
const OF_3 = sql`,
  spoken AS MATERIALIZED (
    SELECT r.id AS target, r.ours, r.name, protocol FROM reached r CROSS JOIN unnest(r.protocols) protocol
    GROUP BY 1, 2, 3, 4 HAVING bool_or(r.allowed IS NULL OR protocol = ANY (r.allowed))),
  given AS MATERIALIZED (
    SELECT r.id AS target, o.account AS word, r.actions, r.allowed, r.crosses
    FROM reached r JOIN their_account_of o ON o.permission = r.permission),
  named AS MATERIALIZED (
    SELECT g.target, a.account, a.protocol, false AS is_word, g.actions, g.allowed, g.crosses
    FROM given g JOIN their_account a ON a.target = g.target AND (g.word = '@ALL' OR a.account = g.word)
    UNION ALL SELECT g.target, g.word, NULL, true, g.actions, g.allowed, g.crosses
    FROM given g WHERE g.word IN ('@INPUT', '@USER', '@ANON')),
  taken AS MATERIALIZED (
    SELECT g.target, substr(g.word, 2) AS account, bit_or(g.actions) AS actions
    FROM given g WHERE g.word LIKE '!_%' GROUP BY 1, 2)
  SELECT s.target, s.ours, s.name, s.protocol || ' ' || n.account AS account,
    s.protocol || ' ' || coalesce(nullif(n.account, ''), '-') AS label,
    bit_or(n.actions) & ~coalesce(max(k.actions), 0) AS mask, coalesce(max(k.actions), 0) AS taken,
    bool_or(n.allowed IS NULL OR s.protocol = ANY (n.allowed)) AS by_one, bool_and(n.crosses) AS crosses
  FROM named n
  JOIN spoken s ON s.target = n.target
    AND (n.is_word OR n.protocol = s.protocol OR (n.protocol IS NULL AND s.protocol <> 'k8s'))
  LEFT JOIN taken k ON k.target = n.target AND k.account = n.account
  GROUP BY 1, 2, 3, 4, 5`
