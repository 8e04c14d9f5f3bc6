/** The work on the company's accounts: found on machines, changed by plan and backed up. */
import { licenseOf } from '../domains/xpack/index.ts'
import type { ReadContext } from '../kernel/resource/mount.ts'
import { ADMINISTRATORS } from './company.ts'
import { seedNodes } from './machines.ts'
import { ensure, idsBy, namesIn } from './rows.ts'

/** Its machines have an admin user, with whom accounts are read and changed. */
const DATABASES = '/Production 生产/Databases 数据库/PostgreSQL'
const SUNDAY_NIGHT = { is_periodic: true, crontab: '30 3 * * 0', interval: null }
const RANDOM = { password_strategy: 'random_all', password_rules: { length: 24 }, ...SUNDAY_NIGHT }
const ROTATION = 'Backup accounts of PostgreSQL'
const FINDING = 'Accounts of the databases 数据库账号'

/** Needs machines, system users and applications. */
export async function seedAccountWork(context: ReadContext): Promise<void> {
  await ensure(context, 'account_backup_plan', 'name', {
    name: 'Everything, for the safe 保险柜',
    is_periodic: true,
    crontab: '0 2 1 * *',
    interval: null,
    comment: 'Recipients are still to be named',
  })
  if (!licenseOf(context.kernel).isValid()) return
  const nodes = namesIn(await seedNodes(context))
  const systemUsers = namesIn(await idsBy(context, 'system_user', 'name'))
  const applications = namesIn(await idsBy(context, 'application', 'name'))
  await ensure(context, 'gathered_user_task', 'name', { name: FINDING, nodes: nodes([DATABASES]), ...SUNDAY_NIGHT })
  await ensure(context, 'change_auth_plan', 'name', {
    name: ROTATION,
    username: 'backup',
    nodes: nodes([DATABASES]),
    ...RANDOM,
  })
  const people = namesIn(await idsBy(context, 'user', 'username'))
  const machines = namesIn(await idsBy(context, 'asset', 'hostname'))
  await ensure(context, 'break_glass_bundle', 'name', {
    name: 'If Sallyport is gone 应急',
    assets: machines(['pg-01', 'pg-02', 'pg-03']),
    usernames: ['postgres'],
    holders: people(ADMINISTRATORS.map(([username]) => username)),
    comment: 'To be sealed once there is a mail server',
  })
  await ensure(context, 'app_change_auth_plan', 'name', {
    name: 'Passwords of the order database 订单库',
    category: 'db',
    type: 'mysql',
    apps: applications(['shop-orders 订单库']),
    system_users: systemUsers(['orders report']),
    ...RANDOM,
  })
}

/** Begins the first run of the plans, as the clock does. */
export async function beginAccountWork(context: ReadContext): Promise<void> {
  const send = async (resource: string, name: string, job: string) => {
    const id = (await idsBy(context, resource, 'name')).get(name)
    if (id) await context.kernel.jobs.send(job, { id })
  }
  await send('gathered_user_task', FINDING, 'accounts.gather_users_when_due')
  await send('change_auth_plan', ROTATION, 'accounts.start_change_plan')
}
