import { t } from '../../lib/i18n.ts'
import type { SocketTarget } from '../screen/socket.ts'
import type { TabState } from '../tabs/tabs.ts'
import type { WatermarkText } from '../viewer.ts'
import { NotConnected } from './NotConnected.tsx'
import { PaneQuestion } from './PaneQuestion.tsx'
import type { Status } from './pane-status.ts'
import { Watermark } from './Watermark.tsx'
import { whyAddress } from './why-address.ts'

interface PaneMessagesProps {
  status: Status
  state: TabState
  /** The connection is lost for now. */
  isAway?: boolean
  /** There is nothing else to see in the pane yet. */
  isEmpty?: boolean
  target: SocketTarget
  watermark: WatermarkText | undefined
  onAnswer: (text: string | undefined) => void
  onReconnect: () => void
}

/** All that is shown above a pane that is no terminal: questions, notices, the state of its connection. */
export function PaneMessages(props: PaneMessagesProps) {
  const { status, state, isAway, isEmpty = false, target, watermark, onAnswer, onReconnect } = props
  const isOver = state === 'disconnected'
  const reason = isOver && status.isLast ? status.notice : undefined
  return (
    <>
      {watermark && <Watermark {...watermark} />}
      <PaneQuestion status={status} onAnswer={onAnswer} />
      {reason === undefined && <PaneNotice {...status} />}
      {isAway && (
        <div className="pane-lost" role="status">
          <span>{t('Connection lost, trying again…')}</span>
        </div>
      )}
      {isOver && (
        <NotConnected
          reason={reason}
          isAlone={isEmpty}
          why={reason === undefined ? undefined : whyAddress(target)}
          onReconnect={onReconnect}
        />
      )}
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
