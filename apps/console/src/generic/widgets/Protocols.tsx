import { PROTOCOLS_WITHOUT_EFFECT } from '@sallyport/contract/without-effect.ts'
import { InputNumber, Select } from 'antd'
import { MinusIcon, PlusIcon } from 'lucide-react'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/feedback.tsx'
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
  const known = field.choices?.map((choice) => String(choice.value)) ?? Object.keys(PROTOCOL_PORTS)
  const names = known.filter((name) => !(name in PROTOCOLS_WITHOUT_EFFECT))
  const free = names.filter((name) => !rows.some((row) => row.name === name))
  const write = (next: { name: string; port: number | null }[]) =>
    onChange?.(next.map(({ name, port }) => `${name}/${port ?? ''}`))
  return (
    <div id={id}>
      {rows.map((row, index) => (
        <div className="widget-row" key={row.name}>
          <Select
            aria-label={t('Protocol')}
            style={{ width: 140 }}
            value={row.name}
            disabled={disabled ?? false}
            options={[row.name, ...free].map((name) => ({ value: name, label: name }))}
            onChange={(name) =>
              write(rows.map((one, at) => (at === index ? { name, port: PROTOCOL_PORTS[name] ?? one.port } : one)))
            }
          />
          <InputNumber
            aria-label={t('Port')}
            value={row.port}
            disabled={disabled ?? false}
            onChange={(port) => write(rows.map((one, at) => (at === index ? { ...one, port } : one)))}
          />
          <Button
            size="small"
            icon={<MinusIcon />}
            aria-label={t('Remove')}
            disabled={disabled ?? false}
            onClick={() => {
              if (rows.length === 1) showError(t("The last one can't be delete"))
              else write(rows.filter((_, at) => at !== index))
            }}
          />
          <Button
            size="small"
            type="primary"
            icon={<PlusIcon />}
            aria-label={t('Add')}
            disabled={disabled || free.length === 0}
            onClick={() => write([...rows, { name: free[0] ?? '', port: PROTOCOL_PORTS[free[0] ?? ''] ?? null }])}
          />
        </div>
      ))}
    </div>
  )
}
