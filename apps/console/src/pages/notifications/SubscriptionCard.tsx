import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { Switch } from '../../design/inputs/Switch.tsx'
import { api } from '../../lib/api.ts'
import { atOnce } from '../../lib/at-once.ts'
import { msg, t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { session } from '../../session/session.ts'

const PATH = '/api/v1/notifications/user-msg-subscription/'

interface Subscription {
  user_id: string
  receive_backends: string[]
}

/** Channels with the public setting that turns them on; those without one are always offered. */
const CHANNELS = [
  { name: 'site_msg', title: msg('Site message') },
  { name: 'email', title: msg('Email') },
  { name: 'wecom', title: msg('WeCom'), setting: 'AUTH_WECOM' },
  { name: 'dingtalk', title: msg('DingTalk'), setting: 'AUTH_DINGTALK' },
  { name: 'feishu', title: msg('FeiShu'), setting: 'AUTH_FEISHU' },
  { name: 'slack', title: msg('Slack'), setting: 'SLACK_ENABLED' },
  { name: 'teams', title: msg('Microsoft Teams'), setting: 'TEAMS_ENABLED' },
]

/**
 * By which channels the person wants to hear; the inbox always gets everything
 * (docs/rules/notifications.md#user_msg_subscription).
 */
export function SubscriptionCard() {
  const { profile, settings } = session()
  const [busy, setBusy] = useState('')
  const { data } = useQuery({
    queryKey: keys.one(PATH, profile.id),
    queryFn: ({ signal }) => api.get<Subscription>(`${PATH}${profile.id}/`, { signal }),
  })
  if (!data) return null
  const change = async (name: string, on: boolean) => {
    setBusy(name)
    const others = data.receive_backends.filter((one) => one !== name)
    const values = { receive_backends: on ? [...others, name] : others }
    // The answer has no id: it is the one row that is read from here.
    const change = (rows: readonly unknown[]) => rows.map((row) => ({ ...(row as Subscription), ...values }))
    await atOnce(PATH, change, () => api.patch(`${PATH}${profile.id}/`, values)).then(
      () => showSuccess(t('Saved')),
      () => {},
    )
    setBusy('')
  }
  return (
    <section className="panel">
      <h2>{t('Message subscriptions')}</h2>
      <ul className="quick-actions">
        {CHANNELS.filter(({ setting }) => !setting || settings[setting] === true).map(({ name, title }) => (
          <li key={name}>
            <span>{t(title)}</span>
            <Switch
              aria-label={t(title)}
              checked={name === 'site_msg' || data.receive_backends.includes(name)}
              whyDisabled={name === 'site_msg' ? t('Messages always come here') : undefined}
              loading={busy === name}
              onChange={(on) => void change(name, on)}
            />
          </li>
        ))}
        {settings.SLACK_ENABLED === true && <SlackAccount />}
      </ul>
    </section>
  )
}

const ACCOUNT_PATH = '/api/v1/tickets/slack-account/'

/** The account in Slack that decides in my name, once I have bound it there (docs/rules/tickets.md#slack_decision). */
function SlackAccount() {
  const { data } = useQuery({
    queryKey: keys.list(ACCOUNT_PATH, {}),
    queryFn: ({ signal }) => api.get<{ is_bound: boolean; slack_name: string }>(ACCOUNT_PATH, { signal, quiet: true }),
  })
  if (!data?.is_bound) return null
  const unbind = async () => {
    await api.delete(ACCOUNT_PATH)
    await forget(ACCOUNT_PATH)
    showSuccess(t('Unbound'))
  }
  return (
    <li>
      <span>{t('{{name}} decides for me in Slack', { name: data.slack_name })}</span>
      <Button size="small" onClick={() => void unbind()}>
        {t('Unbind')}
      </Button>
    </li>
  )
}
