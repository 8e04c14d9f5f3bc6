import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { showSuccess } from '../../design/dialogs/feedback.tsx'
import { Switch } from '../../design/inputs/Switch.tsx'
import { api } from '../../lib/api.ts'
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
    try {
      const others = data.receive_backends.filter((one) => one !== name)
      await api.patch(`${PATH}${profile.id}/`, { receive_backends: on ? [...others, name] : others })
      showSuccess(t('Saved'))
    } catch {
      // The client has shown why.
    } finally {
      await forget(PATH)
      setBusy('')
    }
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
      </ul>
    </section>
  )
}
