import { Tag } from 'antd'
import { msg, t } from '../../lib/i18n.ts'

const STATES: Readonly<Record<string, readonly [text: string, color: string]>> = {
  open: [msg('Pending@@ticket'), 'processing'],
  notified: [msg('Pending@@ticket'), 'processing'],
  approved: [msg('Approved@@ticket'), 'success'],
  rejected: [msg('Rejected@@ticket'), 'error'],
  closed: [msg('Closed@@ticket'), 'default'],
}

/** What was decided, or that nothing is yet (contract/tickets.yaml: pending while open). */
export function StateTag({ state }: { state: string }) {
  const [text, color] = STATES[state] ?? [state, 'default']
  return <Tag color={color}>{t(text)}</Tag>
}

export function StatusTag({ status }: { status: string }) {
  return status === 'open' ? <Tag color="processing">{t('Open@@ticket')}</Tag> : <Tag>{t('Closed@@ticket')}</Tag>
}
