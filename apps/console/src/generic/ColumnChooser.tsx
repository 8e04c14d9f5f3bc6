import { SettingOutlined } from '@ant-design/icons'
import { Button, Popover } from 'antd'
import { useState } from 'react'
import { t } from '../lib/i18n.ts'

interface ColumnChooserProps {
  columns: readonly { key: string; title: string }[]
  shown: readonly string[]
  /** Always shown; ticked and greyed out (spec A2.79). */
  fixed: readonly string[]
  /** Undefined: back to the page's own columns. */
  onChoose: (columns: readonly string[] | undefined) => void
}

/** Which columns a table shows. */
export function ColumnChooser({ columns, shown, fixed, onChoose }: ColumnChooserProps) {
  const [draft, setDraft] = useState<readonly string[]>()
  const ticked = draft ?? shown
  const close = (chosen?: { columns: readonly string[] | undefined }) => {
    setDraft(undefined)
    if (chosen) onChoose(chosen.columns)
  }
  return (
    <Popover
      trigger="click"
      placement="bottomRight"
      open={draft !== undefined}
      onOpenChange={(open) => setDraft(open ? shown : undefined)}
      title={t('Custom table col')}
      content={
        <div className="column-chooser">
          <div className="choices">
            {columns.map(({ key, title }) => (
              <label key={key}>
                <input
                  type="checkbox"
                  checked={ticked.includes(key) || fixed.includes(key)}
                  disabled={fixed.includes(key)}
                  onChange={(event) => setDraft(event.target.checked ? [...ticked, key] : ticked.filter((other) => other !== key))}
                />
                {title}
              </label>
            ))}
          </div>
          <div className="buttons">
            <Button size="small" onClick={() => close({ columns: undefined })}>
              {t('Reset')}
            </Button>
            <Button size="small" type="primary" onClick={() => close({ columns: ticked })}>
              {t('Confirm')}
            </Button>
          </div>
        </div>
      }
    >
      <Button icon={<SettingOutlined />} aria-label={t('Custom table col')} title={t('Custom table col')} />
    </Popover>
  )
}
