import { eq, sql } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { startTask } from '../../ops/index.ts'
import { keptRecipients, readersOf } from '../mail-files.ts'
import { assetsOfPlan } from '../plans/asset-plan.resource.ts'
import { generatePassword } from '../rotation/generate-password.ts'
import { accountsChangeExecution, accountsChangePlan } from '../tables.ts'
import { passwordRules, type StoredRules } from './stored-rules.ts'

export const RUN_PLAN = 'accounts.run_change_plan'

type Plan = typeof accountsChangePlan.$inferSelect

export interface Start {
  plan: string
  trigger: 'manual' | 'timing'
  isRehearsal?: boolean
  call?: Call | undefined
}

/**
 * Starts a run of a plan, as the plan is now: later changes of it do not reach the run. Run, task and
 * job come into being together, within the transaction that the kernel's `db` may be. Answers the
 * run's id, which is its task's. Throws 400 where the plan has nothing to change, and while a run of
 * it is under way.
 */
export async function startPlan(
  kernel: Kernel,
  { plan: id, trigger, isRehearsal = false, call }: Start,
): Promise<string> {
  const { secrets } = kernel
  return kernel.db.transaction(async (tx) => {
    const within = { ...kernel, db: tx }
    // One of two starts at the same time finds the other's run.
    const [plan] = await tx.select().from(accountsChangePlan).where(eq(accountsChangePlan.id, id)).for('update')
    if (!plan) throw refused('plan_is_gone', 'The plan does not exist any more')
    const { rows: running } = await tx.execute(
      sql`SELECT 1 FROM accounts_change_execution WHERE plan = ${id} AND NOT is_finished LIMIT 1`,
    )
    if (running.length) throw refused('plan_is_running', 'The plan is running: wait until that has ended')
    const random = plan.password_strategy === 'random_one' && plan.is_password
    const [execution] = await tx
      .insert(accountsChangeExecution)
      .values({
        org_id: plan.org_id,
        family: plan.family,
        plan: id,
        trigger,
        is_rehearsal: isRehearsal,
        plan_snapshot: await snapshotOf(within, plan),
        password_sealed: random ? secrets.seal(generatePassword(passwordRules(rulesOf(plan)))) : plan.password_sealed,
        private_key_sealed: plan.private_key_sealed,
      })
      .returning({ id: accountsChangeExecution.id })
    if (!execution) throw new Error('no run was made')
    const { rows: targets } = await tx.execute(
      plan.family === 'asset' ? assetTasks(plan, execution.id) : applicationTasks(plan, execution.id),
    )
    if (!targets.length) throw refused('plan_is_empty', NOTHING[plan.family])
    if (!isRehearsal) await tx.execute(sql`UPDATE accounts_change_plan SET run_times = run_times + 1 WHERE id = ${id}`)
    return startTask(within, call, {
      id: execution.id,
      name: isRehearsal ? 'Rehearse a change auth plan' : 'Run a change auth plan',
      job: RUN_PLAN,
      data: {},
      orgId: plan.org_id,
      subject: plan.name,
    })
  })
}

const NOTHING = {
  asset: 'The plan has no assets: add some first',
  application: 'The plan has no applications or no system users: add some first',
} as const

const assetTasks = ({ id, org_id, username }: Plan, execution: string) => sql`
  INSERT INTO accounts_change_task (org_id, family, execution, asset, username, place)
  SELECT org_id, 'asset', ${execution}, id, ${username}, row_number() OVER (ORDER BY hostname, id)
  FROM assets_listed_asset WHERE org_id = ${org_id} AND id IN (${assetsOfPlan(id)}) RETURNING 1`

/** System users of one user name have one account on a database, which is changed once. */
const applicationTasks = ({ id, org_id, type }: Plan, execution: string) => sql`
  INSERT INTO accounts_change_task (org_id, family, execution, app, "system_user", username, place)
  SELECT ${org_id}, 'application', ${execution}, pair.app, pair."system_user", pair.username,
    row_number() OVER (ORDER BY pair.name, pair.username, pair.app)
  FROM (
    SELECT DISTINCT ON (a.id, s.username) a.id AS app, a.name, s.id AS "system_user", s.username
    FROM accounts_change_plan_app p JOIN applications_listed_application a ON a.id = p.app
    JOIN accounts_change_plan_system_user u ON u.plan = p.plan JOIN assets_listed_system_user s ON s.id = u."system_user"
    WHERE p.plan = ${id} AND a.type = ${type} AND s.protocol = ${type} AND a.org_id = ${org_id} AND s.org_id = ${org_id}
    ORDER BY a.id, s.username, s.name, s.id) pair
  RETURNING 1`

const rulesOf = ({ password_rules: { length, symbol_set } }: Plan): StoredRules => ({
  length: Number(length ?? 30),
  ...(typeof symbol_set === 'string' ? { symbol_set } : {}),
})

/** The part of its plan that a run needs, and people may read later; no secrets. */
async function snapshotOf(kernel: Kernel, plan: Plan) {
  const { db } = kernel
  const ids = sql`SELECT "user" FROM accounts_change_plan_recipient WHERE plan = ${plan.id}`
  const readers = await readersOf(kernel, { ids, orgId: plan.org_id, reason: `recipients of the plan ${plan.name}` })
  const { name, username, is_password, password_strategy, is_ssh_key, ssh_key_strategy, public_key } = plan
  return {
    ...{ name, username, is_password, password_strategy, is_ssh_key, ssh_key_strategy, public_key },
    password_rules: rulesOf(plan),
    recipients: keptRecipients(readers),
    ...(await (plan.family === 'asset' ? assetsOf(db, plan) : applicationsOf(db, plan))),
  }
}

async function assetsOf(db: Database, { id }: Plan) {
  const { rows } = await db.execute<{ assets_amount: number; nodes_amount: number }>(sql`
    SELECT (SELECT count(*)::int FROM accounts_change_plan_asset WHERE plan = ${id}) AS assets_amount,
      (SELECT count(*)::int FROM accounts_change_plan_node WHERE plan = ${id}) AS nodes_amount`)
  return rows[0]
}

async function applicationsOf(db: Database, { id, category, type }: Plan) {
  const { rows } = await db.execute<{ apps: string[]; users: string[]; usernames: string[] }>(sql`
    SELECT ARRAY(SELECT a.name FROM accounts_change_plan_app p JOIN applications_listed_application a ON a.id = p.app
        WHERE p.plan = ${id} ORDER BY a.name) AS apps,
      ARRAY(SELECT s.name || '(' || s.username || ')' FROM accounts_change_plan_system_user p
        JOIN assets_listed_system_user s ON s.id = p."system_user" WHERE p.plan = ${id} ORDER BY s.name) AS users,
      ARRAY(SELECT DISTINCT s.username FROM accounts_change_plan_system_user p
        JOIN assets_listed_system_user s ON s.id = p."system_user" WHERE p.plan = ${id} ORDER BY s.username) AS usernames`)
  const { apps = [], users = [], usernames = [] } = rows[0] ?? {}
  return {
    ...{ category, type, username: usernames.join(', ') },
    ...{ apps_display: apps, system_users_display: users },
    ...{ apps_amount: apps.length, system_users_amount: users.length },
  }
}
