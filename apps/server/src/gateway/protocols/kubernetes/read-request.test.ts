import { expect, test } from 'vitest'
import { BadRequest, readRequest } from './read-request.ts'

test.for([
  ['GET', '/version', 'get /version'],
  ['GET', '/api/v1/namespaces', 'list namespaces'],
  ['DELETE', '/api/v1/namespaces/shop', 'delete namespaces shop'],
  ['GET', '/api/v1/namespaces/shop/pods?limit=500', 'list pods -n shop'],
  ['GET', '/api/v1/pods?watch=true', 'watch pods'],
  // A cluster reads every value but no as yes, and watches lists alone.
  ['GET', '/api/v1/pods?watch', 'watch pods'],
  ['GET', '/api/v1/pods?watch=yes&watch=0', 'watch pods'],
  ['GET', '/api/v1/pods?watch=False', 'list pods'],
  ['GET', '/api/v1/namespaces/shop/secrets/door?watch=true', 'get secrets door -n shop'],
  ['GET', '/api/v1/namespaces/shop/pods/web-1', 'get pods web-1 -n shop'],
  ['GET', '/api/v1/namespaces/shop/pods/web-1/log?follow=true', 'get pods/log web-1 -n shop'],
  ['PATCH', '/apis/apps/v1/namespaces/shop/deployments/web', 'patch deployments.apps web -n shop'],
  ['PUT', '/api/v1/namespaces/shop/finalize', 'update namespaces/finalize shop'],
  ['DELETE', '/api/v1/namespaces/shop/pods?labelSelector=a%3Db', 'deletecollection pods -n shop labelSelector=a=b'],
  ['POST', '/apis/apps/v1/namespaces/shop/deployments/', 'create deployments.apps -n shop'],
  ['GET', '/api/v1/namespaces/shop/pods/web-1/exec?command=sh&container=app', 'exec pods web-1 -n shop -c app'],
  ['POST', '/api/v1/namespaces/shop/pods/web-1/attach', 'attach pods web-1 -n shop'],
  ['GET', '/api/v1/namespaces/shop/services/https:web:443/proxy/a/b', 'proxy services https:web:443 a/b -n shop'],
] as const)('%s %s is: %s', ([method, url, text]) => {
  expect(readRequest(method, url).text).toBe(text)
})

test.for([
  '/api/v1/namespaces/shop/pods/../secrets',
  '/api/v1/namespaces/shop/pods/%2e%2e/secrets',
  '/api/v1//pods',
  '/api/v1/namespaces/shop%2Fpods',
  '/api/v1/namespaces/shop/pods/a%00',
  '/api/v1/namespaces/shop/pods/%zz',
  '/api/v1/namespaces/shop/pods/a%3Bb',
  '/api/v1/watch/namespaces/shop/pods',
  'https://elsewhere/api/v1/pods',
  '*',
])('%s may be read in two ways, and is no request', (url) => {
  expect(() => readRequest('GET', url)).toThrow(BadRequest)
})

test.for(['pods/web-1/portforward', 'pods/web-1/proxy', 'services/web/proxy/', 'services/web/exec'])(
  '%s leads past Sallyport, and is forbidden whatever the method',
  (path) => {
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(readRequest(method, `/api/v1/namespaces/shop/${path}`).forbidden).toBeDefined()
  },
)

test('the request that is sent on is the one that was read: parameters in one form, the first of several with one name first', () => {
  const { path, query } = readRequest('GET', '/api/v1/namespaces/shop/pods/?watch=0&watch=1&a=b%20c')
  expect([path, query.toString()]).toEqual(['/api/v1/namespaces/shop/pods', 'watch=0&watch=1&a=b+c'])
})
