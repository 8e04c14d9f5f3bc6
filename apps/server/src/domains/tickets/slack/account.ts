import { sql } from 'drizzle-orm'
import { hashKey, randomKey } from '../../../kernel/access/random-secret.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Kernel } from '../../../kernel/kernel.ts'

const MINUTES = 10
const PAGE = '/ui/bind-slack'

/** An account in a workspace of Slack. */
export interface SlackAccount extends Record<string, unknown> {
  team_id: string
  slack_id: string
  slack_name: string
}

/** The account that decides for a person; undefined where none is bound. */
export async function accountOf(db: Database, userId: string): Promise<SlackAccount | undefined> {
  const { rows } = await db.execute<SlackAccount>(
    sql`SELECT team_id, slack_id, slack_name FROM tickets_slack_account WHERE user_id = ${userId}`,
  )
  return rows[0]
}

/** The page on which a person binds an account that has pressed a button of theirs; one at a time. */
export async function bindingPage({ db }: Kernel, userId: string, account: SlackAccount): Promise<string> {
  const code = randomKey()
  await db.transaction(async (inside) => {
    await inside.execute(sql`DELETE FROM tickets_slack_binding WHERE user_id = ${userId}`)
    await inside.execute(sql`
      INSERT INTO tickets_slack_binding (code_hash, user_id, team_id, slack_id, slack_name, date_expired)
      VALUES (${hashKey(code)}, ${userId}, ${account.team_id}, ${account.slack_id}, ${account.slack_name},
        now() + make_interval(mins => ${MINUTES}))`)
  })
  return `${PAGE}?code=${code}`
}

/** The account behind a code, for its person alone. */
export async function waitingAccount(db: Database, code: string, userId: string): Promise<SlackAccount | undefined> {
  const { rows } = await db.execute<SlackAccount>(sql`
    SELECT team_id, slack_id, slack_name FROM tickets_slack_binding
    WHERE code_hash = ${hashKey(code)} AND user_id = ${userId} AND date_expired > now()`)
  return rows[0]
}

/** Binds the account of a code, which is used up; undefined where it is another person's already. */
export async function bindAccount(db: Database, code: string, userId: string): Promise<SlackAccount | undefined> {
  const { rows } = await db.execute<SlackAccount>(sql`
    WITH used AS (
      DELETE FROM tickets_slack_binding WHERE code_hash = ${hashKey(code)} AND user_id = ${userId} AND date_expired > now()
      RETURNING team_id, slack_id, slack_name)
    INSERT INTO tickets_slack_account AS account (user_id, team_id, slack_id, slack_name)
    SELECT ${userId}::uuid, team_id, slack_id, slack_name FROM used
    WHERE NOT EXISTS (SELECT FROM tickets_slack_account o
      WHERE o.team_id = used.team_id AND o.slack_id = used.slack_id AND o.user_id <> ${userId}::uuid)
    ON CONFLICT (user_id) DO UPDATE SET
      team_id = excluded.team_id, slack_id = excluded.slack_id, slack_name = excluded.slack_name, date_created = now()
    RETURNING team_id, slack_id, slack_name`)
  return rows[0]
}

/** Answers the account that decides for the person no more. */
export async function unbindAccount(db: Database, userId: string): Promise<SlackAccount | undefined> {
  const { rows } = await db.execute<SlackAccount>(
    sql`DELETE FROM tickets_slack_account WHERE user_id = ${userId} RETURNING team_id, slack_id, slack_name`,
  )
  return rows[0]
}

/** Forgets what counts no more. */
export async function forgetSlackCalls({ db }: Pick<Kernel, 'db'>): Promise<void> {
  await db.execute(sql`DELETE FROM tickets_slack_call WHERE date_expired < now()`)
  await db.execute(sql`DELETE FROM tickets_slack_binding WHERE date_expired < now()`)
}
