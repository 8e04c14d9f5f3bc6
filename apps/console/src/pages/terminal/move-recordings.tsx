import {
  type RecordingAmount,
  type RecordingMove,
  recordingMove,
} from '@sallyport/contract/resources/terminal/recording-move.ts'
import { replayStorage } from '@sallyport/contract/resources/terminal/replay-storage.ts'
import { ask, openDialog } from '../../design/dialogs/feedback.tsx'
import { DialogForm } from '../../generic/form/DialogForm.tsx'
import type { ActionContext } from '../../generic/view/actions.ts'
import { api, type Query } from '../../lib/api.ts'
import { msg, t } from '../../lib/i18n.ts'
import { sizeText } from '../../terminal/files/folder/entries.ts'
import { inClient } from '../dialogs.tsx'
import { openTaskLog } from '../windows.ts'

const FIELDS = [
  { name: 'target', from: replayStorage },
  { name: 'date_from', help: msg('Leave empty to move all of them.') },
  'date_to',
  'rate_limit',
] as const

interface Storage {
  id: string
  name: string
}

type Asked = Query & { source: string; target: string }

/** Asks where the recordings of a storage go, then says how many they are before anything begins. */
export function moveRecordings(from: Storage, { refresh }: ActionContext): void {
  openDialog({
    title: t('Move recordings out of {{name}}', { name: from.name }),
    width: 'min(560px, 94vw)',
    content: (close) => inClient(<MoveForm from={from} onClose={close} onBegun={refresh} />),
  })
}

interface MoveFormProps {
  from: Storage
  onClose: () => void
  onBegun: () => Promise<void>
}

function MoveForm({ from, onClose, onBegun }: MoveFormProps) {
  return (
    <DialogForm
      path={recordingMove.path}
      mode="create"
      fields={FIELDS}
      submitText={t('Continue')}
      onClose={onClose}
      save={async (body) => {
        const asked = { ...(body as Asked), source: from.id }
        if (!(await isSure(from, asked))) return
        const { task } = await api.post<RecordingMove>(recordingMove.path, asked, { quiet: true })
        onClose()
        openTaskLog(task)
        await onBegun()
      }}
    />
  )
}

/** The question before a move; what cannot be moved is refused before it is asked. */
async function isSure(from: Storage, { source, target, date_from = '', date_to = '' }: Asked): Promise<boolean> {
  const query = { source, target, date_from, date_to }
  const [{ recordings, bytes, complete }, to] = await Promise.all([
    api.get<RecordingAmount>(`${recordingMove.path}amount/`, { query, quiet: true }),
    api.get<Storage>(`${replayStorage.path}${target}/`, { quiet: true }),
  ])
  const size = sizeText(bytes)
  return ask({
    title: complete
      ? t('Move {{count|recording|recordings}} ({{size}}) from {{from}} to {{to}}?', {
          ...{ count: recordings, size, from: from.name, to: to.name },
        })
      : t('Move {{count|recording|recordings}} (more than {{size}}) from {{from}} to {{to}}?', {
          ...{ count: recordings, size, from: from.name, to: to.name },
        }),
    content: t(
      'Each is copied and compared, and only then deleted where it was. They can be played all the while; what cannot be moved stays, and is listed.',
    ),
    okText: t('Move'),
  })
}
