import { type Check, notChecked, ok, warning, wrong } from '../../kernel/doctor/check.ts'
import { explainMailError, isMailOn, tryMailServer } from './mail-transport.ts'

const FAILED_HOURS = 24

const server: Check = {
  name: 'mail',
  title: 'Mail server',
  // Connecting, greeting and sign-in have ten seconds each.
  limitMs: 40_000,
  async run(place) {
    const settings = await place.settings()
    if (!isMailOn(settings))
      return notChecked(
        (say) => say('No mail server is set up.'),
        (say) => say('Fill in the mail server in the settings: alarms and new passwords are sent by it.'),
      )
    const values = { host: settings.EMAIL_HOST, user: settings.EMAIL_HOST_USER }
    try {
      await tryMailServer(settings)
    } catch (error) {
      return wrong(
        (_, language) => explainMailError(error, language),
        (say) => say('Correct the mail server in the settings (now {{host}}, as {{user}}), and test it there.', values),
      )
    }
    return ok((say) =>
      settings.EMAIL_HOST_PASSWORD
        ? say('{{host}} answers and takes the sign-in of {{user}}. No mail was sent.', values)
        : say('{{host}} answers. No mail was sent, and no sign-in is set up.', values),
    )
  },
}

const messages: Check = {
  name: 'messages',
  title: 'Alarms and messages',
  async run(place) {
    const { pool } = await place.database()
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM kernel_job
       WHERE state = 'failed' AND queue LIKE 'notifications.%' AND date_finished > now() - make_interval(hours => $1)`,
      [FAILED_HOURS],
    )
    const count = rows[0]?.count ?? 0
    if (count)
      return warning(
        (say) =>
          say('{{count|message|messages}} could not be delivered within a day, alarms perhaps among them.', { count }),
        (say) =>
          say('The task monitor has the reason of each. Test the mail server and the messengers in the settings.'),
      )
    return ok((say) => say('Every message of the last day was delivered, or is still being tried.'))
  },
}

export default [server, messages]
