import { isEnter } from '../../design/inputs/enter.ts'
import { t } from '../../lib/i18n.ts'

interface NameBoxProps {
  name: string
  /** Called with its text when it is left. */
  onName: (name: string) => void
  onCancel: () => void
}

/** A box for the new name of a node, in the place of the old one. */
export function NameBox({ name, onName, onCancel }: NameBoxProps) {
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: a person who asked for a new name wants to type it
      autoFocus
      className="tree-name-box"
      aria-label={t('Name')}
      defaultValue={name}
      onFocus={(event) => {
        // The line that it is in is not what has the focus.
        event.stopPropagation()
        event.target.select()
      }}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.nativeEvent.isComposing) onCancel()
        else if (isEnter(event)) event.currentTarget.blur()
      }}
      onBlur={(event) => onName(event.target.value)}
    />
  )
}
