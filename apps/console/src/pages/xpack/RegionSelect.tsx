import { useQuery } from '@tanstack/react-query'
import { MultiSelect } from '../../design/boxes/MultiSelect.tsx'
import { Notice } from '../../design/Notice.tsx'
import type { WidgetProps } from '../../generic/view/form-view.ts'
import { api, errorText } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'

interface Regions {
  regions: readonly { id: string; name: string }[]
}

const MINUTES_MS = 300_000

/** Asks the cloud which regions the account has; where it does not say, why. */
export function RegionSelect({ value, onChange, id, disabled, field, context: _, ...input }: WidgetProps<string[]>) {
  const { path = '', query } = field.from ?? {}
  const account = query?.account_id
  const { data, error, isFetching } = useQuery({
    queryKey: [path, account],
    queryFn: () => api.get<Regions>(path, { query: { account_id: account }, quiet: true }),
    enabled: Boolean(account),
    retry: false,
    staleTime: MINUTES_MS,
  })
  const options = (data?.regions ?? []).map((one) => ({
    value: one.id,
    label: one.name === one.id ? one.id : `${one.name} (${one.id})`,
  }))
  return (
    <>
      <MultiSelect
        {...input}
        id={id}
        disabled={disabled || !account}
        source={{ isLoading: isFetching }}
        value={value ?? []}
        options={options}
        placeholder={account ? t('Select') : t('Choose an account first')}
        onChange={(chosen) => onChange?.(chosen)}
      />
      {error && <Notice tone="danger" role="alert" title={errorText(error)} />}
    </>
  )
}
