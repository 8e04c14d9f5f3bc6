import { useCallback, useState } from 'react'
import { Dialog } from '../../../design/dialogs/Dialog.tsx'
import { DialogButtons } from '../../../design/dialogs/DialogButtons.tsx'
import { Input } from '../../../design/inputs/Input.tsx'
import { errorText } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { nameProblem } from '../folder/paths.ts'

export interface NameDialogProps {
  title: string
  initial: string
  /** A refusal keeps the dialog open and is shown under the name. */
  onName: (name: string) => Promise<void>
  onClose: () => void
}

const PROBLEMS = {
  empty: () => t('Write a name.'),
  slash: () => t('A name cannot hold a slash.'),
  reserved: () => t('This name is reserved'),
  long: () => t('This name is too long.'),
}

/** Asks for the name of a new folder, or a new name. */
export function NameDialog({ title, initial, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState(initial)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    if (busy) return
    if (name === initial) return onClose()
    const wrong = nameProblem(name)
    if (wrong) return setProblem(PROBLEMS[wrong]())
    setBusy(true)
    try {
      await onName(name)
      onClose()
    } catch (error) {
      setProblem(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  const choose = useCallback(
    (box: HTMLInputElement | null) => {
      const dot = initial.lastIndexOf('.')
      // The ending is seldom what somebody wants to change.
      box?.setSelectionRange(0, dot > 0 ? dot : initial.length)
    },
    [initial],
  )
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void submit()}
      foot={<DialogButtons okText={t('Confirm')} isPending={busy} onCancel={onClose} />}
    >
      <Input
        ref={choose}
        autoFocus
        aria-label={t('Name')}
        value={name}
        {...(problem ? { 'aria-invalid': true, 'aria-describedby': 'fm-name-problem' } : {})}
        onChange={(next) => {
          setName(next)
          setProblem(undefined)
        }}
      />
      {problem && (
        <p className="fm-problem" id="fm-name-problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  )
}
