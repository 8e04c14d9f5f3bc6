import './broadcast.css'
import { ChevronDownIcon, RadioTowerIcon } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/dialogs/feedback.tsx'
import { isEnter } from '../../design/inputs/enter.ts'
import { Popup } from '../../design/popups/Popup.tsx'
import { t } from '../../lib/i18n.ts'
import { askToPaste, linesOf } from '../screen/paste.tsx'
import type { Tab } from '../tabs/tabs.ts'

const MAX_LENGTH = 2048
/** Lines of one paste. */
const LINES_MAX = 100
/** So many names are in the bar; the list has all. */
const NAMES_SHOWN = 4

interface BroadcastBarProps {
  /** Hidden it keeps what was typed. */
  isShown: boolean
  /** Terminals that it can go to, and ids of those that it goes to. */
  candidates: readonly Tab[]
  receivers: ReadonlySet<number>
  onReceive: (ids: readonly number[], isOn: boolean) => void
  /** Somebody writes here: the terminals that will get it are marked meanwhile. */
  onWriting: (isWriting: boolean) => void
  onSend: (text: string) => void
}

/**
 * One line for chosen terminals, shown or hidden ones. `onSend` gets the trimmed text; empty text sends
 * nothing. Several lines are pasted only after a question, as each of them runs everywhere.
 */
export function BroadcastBar(props: BroadcastBarProps) {
  const { isShown, candidates, receivers, onReceive, onWriting, onSend } = props
  const [text, setText] = useState('')
  const names = candidates.filter(({ id }) => receivers.has(id)).map(({ name }) => name)
  const send = () => {
    const trimmed = text.trim()
    if (trimmed !== '' && names.length === 0) return showError(t('Choose the terminals that get it first.'))
    if (trimmed !== '') onSend(trimmed)
    setText('')
  }
  const handleKey = (event: KeyboardEvent) => {
    if (isEnter(event)) send()
  }
  const handlePaste = async (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text/plain')
    const lines = linesOf(pasted).filter((line) => line.trim() !== '')
    if (lines.length < 2) return
    event.preventDefault()
    if (names.length === 0) return showError(t('Choose the terminals that get it first.'))
    if (lines.length > LINES_MAX || lines.some(({ length }) => length > MAX_LENGTH))
      return showError(t('This is too long to be sent to several terminals.'))
    const question = t('Run these lines in {{count|terminal|terminals}}: {{names}}?', {
      count: names.length,
      names: names.join(', '),
    })
    if (await askToPaste(pasted, question)) for (const line of lines) onSend(line)
  }
  return (
    <div className="wt-broadcast" hidden={!isShown}>
      <Receivers {...{ candidates, receivers, onReceive }} />
      <input
        className="wt-broadcast-line"
        maxLength={MAX_LENGTH}
        autoComplete="off"
        spellCheck={false}
        aria-label={t('Batch command')}
        placeholder={t('Broadcast a command to the chosen SSH terminals')}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={handleKey}
        onPaste={(event) => void handlePaste(event)}
        onFocus={() => onWriting(true)}
        onBlur={() => onWriting(false)}
      />
      <span className="wt-broadcast-names" title={names.join(', ')}>
        {names.slice(0, NAMES_SHOWN).join(', ')}
        {names.length > NAMES_SHOWN && ` +${names.length - NAMES_SHOWN}`}
      </span>
    </div>
  )
}

/** Which terminals get it: a button that says how many, with a list of all. */
function Receivers({
  candidates,
  receivers,
  onReceive,
}: Pick<BroadcastBarProps, 'candidates' | 'receivers' | 'onReceive'>) {
  const [anchor, setAnchor] = useState<HTMLElement>()
  const count = candidates.filter(({ id }) => receivers.has(id)).length
  const all = candidates.map(({ id }) => id)
  return (
    <>
      <Button
        size="small"
        icon={<RadioTowerIcon />}
        aria-haspopup="dialog"
        aria-expanded={anchor !== undefined}
        onClick={({ currentTarget }) => setAnchor(anchor ? undefined : currentTarget)}
      >
        {t('To {{count}} of {{all}}', { count, all: all.length })}
        <ChevronDownIcon />
      </Button>
      {anchor && (
        <Popup
          anchor={anchor}
          className="wt-receivers"
          role="dialog"
          aria-label={t('Terminals that get it')}
          onClose={() => setAnchor(undefined)}
          onOpen={(box) => box.querySelector<HTMLElement>('input, button')?.focus()}
        >
          <ul>
            {candidates.map(({ id, name, systemUserName }) => (
              <li key={id}>
                <label>
                  <input
                    type="checkbox"
                    checked={receivers.has(id)}
                    onChange={({ target }) => onReceive([id], target.checked)}
                  />
                  <span>{name}</span>
                  <small>{systemUserName}</small>
                </label>
              </li>
            ))}
          </ul>
          {candidates.length === 0 && <p>{t('No SSH terminal is connected.')}</p>}
          <div className="wt-receivers-all">
            <Button size="small" onClick={() => onReceive(all, true)}>
              {t('All')}
            </Button>
            <Button size="small" onClick={() => onReceive(all, false)}>
              {t('None@@terminals')}
            </Button>
          </div>
        </Popup>
      )}
    </>
  )
}
