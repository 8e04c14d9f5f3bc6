import { Columns3CogIcon } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { Checkbox } from '../../../design/inputs/Checkbox.tsx'
import { RadioGroup } from '../../../design/inputs/RadioGroup.tsx'
import { type Preferences, prefer, usePreferences } from '../../../design/look/preferences.ts'
import { Popup } from '../../../design/popups/Popup.tsx'
import { t } from '../../../lib/i18n.ts'

interface ColumnChooserProps {
  columns: readonly { key: string; title: string }[]
  shown: readonly string[]
  /** Always shown; ticked and greyed out (A2.79). */
  fixed: readonly string[]
  /** Undefined: back to the page's own columns. */
  onChoose: (columns: readonly string[] | undefined) => void
}

/** Which columns a table shows, and how close its rows are. */
export function ColumnChooser({ columns, shown, fixed, onChoose }: ColumnChooserProps) {
  const [anchor, setAnchor] = useState<HTMLElement>()
  const [ticked, setTicked] = useState(shown)
  const toggle = (button: HTMLElement) => {
    setTicked(shown)
    setAnchor(anchor ? undefined : button)
  }
  const choose = (chosen: readonly string[] | undefined) => {
    anchor?.focus()
    setAnchor(undefined)
    onChoose(chosen)
  }
  return (
    <>
      <Button
        type="text"
        icon={<Columns3CogIcon />}
        aria-label={t('Columns')}
        title={t('Columns')}
        aria-haspopup="dialog"
        aria-expanded={anchor !== undefined}
        onClick={({ currentTarget }) => toggle(currentTarget)}
      />
      {anchor && (
        <Popup
          anchor={anchor}
          role="dialog"
          aria-label={t('Columns')}
          className="column-chooser"
          onOpen={(box) => box.querySelector<HTMLElement>('input:enabled')?.focus({ preventScroll: true })}
          onClose={() => setAnchor(undefined)}
        >
          <strong>{t('Columns')}</strong>
          <div className="choices">
            {columns.map(({ key, title }) => (
              <Checkbox
                key={key}
                checked={ticked.includes(key) || fixed.includes(key)}
                disabled={fixed.includes(key)}
                onChange={(on) => setTicked(on ? [...ticked, key] : ticked.filter((other) => other !== key))}
              >
                {title}
              </Checkbox>
            ))}
          </div>
          <Density />
          <div className="buttons">
            <Button size="small" onClick={() => choose(undefined)}>
              {t('Reset')}
            </Button>
            <Button size="small" type="primary" onClick={() => choose(ticked)}>
              {t('Confirm')}
            </Button>
          </div>
        </Popup>
      )}
    </>
  )
}

/** For all tables of this person, at once. */
function Density() {
  const { density } = usePreferences()
  const id = useId()
  return (
    <div className="density">
      <span id={id}>{t('Density')}</span>
      <RadioGroup<Preferences['density']>
        aria-labelledby={id}
        options={[
          { value: 'comfortable', label: t('Comfortable') },
          { value: 'compact', label: t('Compact') },
        ]}
        value={density}
        onChange={(value) => prefer({ density: value })}
      />
    </div>
  )
}
