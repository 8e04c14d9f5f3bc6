import { PlusIcon, XIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { NativeSelect } from '../../design/boxes/NativeSelect.tsx'
import { showError } from '../../design/dialogs/feedback.tsx'
import { Input } from '../../design/inputs/Input.tsx'
import { t } from '../../lib/i18n.ts'
import type { WidgetProps } from '../view/form-view.ts'
import { PROTOCOL_PORTS } from './protocol-list.ts'

/**
 * Rows of protocol and port; the value is a list of `ssh/22`. No protocol twice, at least one row.
 */
export function Protocols({ value, onChange, disabled, field, id }: WidgetProps<string[]>) {
  const rows = (value?.length ? value : ['ssh/22']).map((entry) => {
    const [name = '', port = ''] = entry.split('/')
    return { name, port: port === '' ? null : Number(port) }
  })
  const names = field.choices?.map((choice) => String(choice.value)) ?? Object.keys(PROTOCOL_PORTS)
  const free = names.filter((name) => !rows.some((row) => row.name === name))
  const write = (next: { name: string; port: number | null }[]) =>
    onChange?.(next.map(({ name, port }) => `${name}/${port ?? ''}`))
  const remove = (index: number) => {
    if (rows.length === 1) showError(t("The last one can't be delete"))
    else write(rows.filter((_, at) => at !== index))
  }
  return (
    <fieldset className="bare protocols" id={id} aria-label={t(field.label)}>
      {rows.map((row, index) => (
        <div className="widget-row" key={row.name}>
          <NativeSelect
            className="protocol"
            aria-label={t('Protocol')}
            value={row.name}
            disabled={disabled}
            onChange={(name) =>
              write(rows.map((one, at) => (at === index ? { name, port: PROTOCOL_PORTS[name] ?? one.port } : one)))
            }
          >
            {[row.name, ...free].map((name) => (
              <option key={name}>{name}</option>
            ))}
          </NativeSelect>
          <Input
            className="port"
            inputMode="numeric"
            aria-label={t('Port')}
            value={row.port ?? ''}
            disabled={disabled}
            onChange={(text) => {
              const port = text.replace(/\D/g, '')
              write(rows.map((one, at) => (at === index ? { ...one, port: port === '' ? null : Number(port) } : one)))
            }}
          />
          <Button
            type="text"
            icon={<XIcon />}
            aria-label={t('Remove')}
            title={t('Remove')}
            disabled={disabled ?? false}
            onClick={() => remove(index)}
          />
        </div>
      ))}
      {free.length > 0 && (
        <Button
          size="small"
          icon={<PlusIcon />}
          disabled={disabled ?? false}
          onClick={() => write([...rows, { name: free[0] ?? '', port: PROTOCOL_PORTS[free[0] ?? ''] ?? null }])}
        >
          {t('Add protocol')}
        </Button>
      )}
    </fieldset>
  )
}
