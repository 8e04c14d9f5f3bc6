import { t } from '../../lib/i18n.ts'
import type { TabState } from '../tabs/tabs.ts'
import { NotConnected } from './NotConnected.tsx'
import { PaneQuestion } from './PaneQuestion.tsx'
import type { Status } from './pane-status.ts'
import { Watermark } from './Watermark.tsx'

interface PaneMessagesProps {
  status: Status
  state: TabState
  /** The connection is lost for now. */
  isAway?: boolean
  watermark: string | undefined
  onAnswer: (text: string | undefined) => void
  onReconnect: () => void
}

/** All that is shown above a pane that is no terminal: questions, notices, the state of its connection. */
export function PaneMessages({ status, state, isAway, watermark, onAnswer, onReconnect }: PaneMessagesProps) {
  return (
    <>
      {watermark && <Watermark text={watermark} />}
      <PaneQuestion status={status} onAnswer={onAnswer} />
      <PaneNotice {...status} />
      {isAway && (
        <div className="pane-lost" role="status">
          <span>{t('Connection lost, trying again…')}</span>
        </div>
      )}
      {state === 'disconnected' && <NotConnected onReconnect={onReconnect} />}
    </>
  )
}

/** Messages of the gateway to the person; a final one is announced at once. */
export function PaneNotice({ notice, isLast }: Pick<Status, 'notice' | 'isLast'>) {
  return (
    notice && (
      <p className="pane-notice" role={isLast ? 'alert' : 'status'}>
        {notice}
      </p>
    )
  )
}
