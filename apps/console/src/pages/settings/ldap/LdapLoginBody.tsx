import { Alert, Form, Input } from 'antd'
import { useState } from 'react'
import { Button } from '../../../design/Button.tsx'
import { t } from '../../../lib/i18n.ts'
import { testLdap } from './ldap-calls.ts'

/** Whether somebody could sign in with the saved settings. */
export function LdapLoginBody() {
  const [result, setResult] = useState<{ good: boolean; text: string }>()
  const [busy, setBusy] = useState(false)
  const test = async (values: { username: string; password: string }) => {
    setBusy(true)
    setResult(undefined)
    setResult(await testLdap('login', values))
    setBusy(false)
  }
  return (
    <Form layout="vertical" autoComplete="off" onFinish={(values) => void test(values)}>
      <Form.Item name="username" label={t('Username')} rules={[{ required: true, whitespace: true }]}>
        <Input autoComplete="off" maxLength={128} />
      </Form.Item>
      <Form.Item name="password" label={t('Password')} rules={[{ required: true }]}>
        <Input.Password autoComplete="new-password" maxLength={1024} />
      </Form.Item>
      {result && (
        <Alert
          role="status"
          showIcon
          type={result.good ? 'success' : 'error'}
          title={result.text}
          style={{ marginBottom: 16 }}
        />
      )}
      <Button type="primary" htmlType="submit" loading={busy}>
        {t('Test login')}
      </Button>
    </Form>
  )
}
