// The guard in our own words: addresses, URL forms, names, ports, exemptions, the hub itself. No name is really looked up.
import { describe, expect, test } from 'vitest'
import { whyClosed } from './address.ts'
import { findTarget, parseUrl, type Reach } from './target.ts'

const reach = (more: Partial<Reach> = {}): Reach => ({
  lookup: async () => ['93.184.216.34'],
  exempt: () => [],
  ownPorts: () => [4180],
  machine: () => ['203.0.114.9', '2a00:1450::9'],
  ...more,
})
const find = async (text: string, more: Partial<Reach> = {}, exempt = true) => {
  const url = parseUrl(text)
  return url instanceof URL ? findTarget(url, reach(more), { exempt }) : url
}

describe('addresses', () => {
  test.each([
    '0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255',
    '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.1.2.3', '240.0.0.1', '255.255.255.255',
    '::', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1',
    '2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:20::1', '2001:db8::1', '3fff::1', '5f00::1', '100::1', 'fc00::1', 'fd12::1', 'fe80::1', 'fec0::1', 'ff02::1', '4000::1',
    'localhost', '', '1.2.3', '0x7f.0.0.1', '0177.0.0.1', '2130706433', 'fe80::1%eth0',
  ])('[T40] %s is closed', (address) => expect(whyClosed(address)).not.toBeNull()) // biome-ignore format: a table
  test.each([
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.1',
    '172.32.0.1',
    '2606:4700::1001',
    '2a00:1450:4001::1',
    '::ffff:8.8.8.8',
  ])('[T40] %s is public', (address) => expect(whyClosed(address)).toBeNull())
})

describe('forms of a URL', () => {
  test.each([
    'http://0x7f.0.0.1/', 'http://0177.0.0.1/', 'http://2130706433/', 'http://127.1/', 'http://0x08080808/', 'http://010.8.8.8/', 'http://１２７.0.0.1/',
    'http:example.com', 'http:/example.com', 'http:///example.com', 'http://', 'https://?q', '//example.com', 'example.com', 'ftp://example.com', 'file:///etc/passwd',
    'javascript:alert(1)', 'data:text/html,x', 'http://user@example.com/', 'http://user:pass@example.com', 'http://example.com@127.0.0.1/', 'http://example.com\\@127.0.0.1/',
    'http://exa mple.com', 'http://example.com/\nHost: x', 'http://example.com/\tx', 'http://[::1', 'http://example.com:99999/', 'http://1.2.3.256/', '',
    'https://example.com/?k={{secret:key}}', 'https://example.com/?k=%7B%7Bsecret:key}}', `https://example.com/${'a'.repeat(5000)}`,
  ])('[T40] %s is not asked for', (text) => expect(parseUrl(text)).toMatchObject({ code: 'invalid' })) // biome-ignore format: a table

  test('what is asked for is shown in one form, without its fragment', () => {
    expect(String(parseUrl(' HTTPS://Example.COM:443/a?b=1#c '))).toBe('https://example.com/a?b=1')
    expect(String(parseUrl('http://bücher.example/'))).toBe('http://xn--bcher-kva.example/')
  })
})

describe('names, ports and what is found', () => {
  test.each([
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://router.home.arpa',
    'http://ⓛocalhost/',
    'http://127.0.0.1./',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://example.com:22/',
    'http://example.com:25/',
    'http://example.com:6379/',
    'http://example.com:0/',
  ])('[T40] nothing is sent to %s', async (text) => {
    // biome-ignore format: a table
    const looked: string[] = []
    const lookup = async (host: string) => {
      looked.push(host)
      return ['8.8.8.8']
    }
    expect(await find(text, { lookup })).toMatchObject({ code: 'blocked' })
    expect(looked).toEqual([])
  })

  test('[T40] one closed address among several closes the name', async () => {
    expect(await find('http://example.com/', { lookup: async () => ['8.8.8.8', '10.0.0.1'] })).toMatchObject({ code: 'blocked' })
    expect(await find('http://example.com/', { lookup: async () => ['8.8.8.8', '8.8.4.4'] })).toMatchObject({
      addresses: ['8.8.8.8', '8.8.4.4'],
    })
  })

  test('a name that nobody knows is told as such', async () => {
    const lookup = async (): Promise<string[]> => Promise.reject(new Error('ENOTFOUND'))
    expect(await find('http://nobody.example/', { lookup })).toMatchObject({ code: 'not_found' })
    expect(await find('http://nobody.example/', { lookup: async () => [] })).toMatchObject({ code: 'not_found' })
  })

  test('[T40] this machine is closed under its public addresses too, however they are written', async () => {
    expect(await find('http://example.com/', { lookup: async () => ['203.0.114.9'] })).toMatchObject({ code: 'blocked' })
    expect(await find('http://example.com/', { lookup: async () => ['2a00:1450:0:0::9'] })).toMatchObject({ code: 'blocked' })
  })

  test('[T40] a configured origin is exempt, and nothing beside it', async () => {
    const more = { exempt: () => ['http://127.0.0.1:11434', 'http://searx.local:8888/'], lookup: async () => ['192.168.1.5'] }
    expect(await find('http://127.0.0.1:11434/api/tags', more)).toMatchObject({ addresses: ['127.0.0.1'] })
    expect(await find('http://searx.local:8888/search', more)).toMatchObject({ addresses: ['192.168.1.5'] })
    for (const other of [
      'http://127.0.0.1:11435/',
      'https://127.0.0.1:11434/',
      'http://localhost:11434/',
      'http://searx.local/',
      'http://a.searx.local:8888/',
    ]) {
      expect(await find(other, more)).toMatchObject({ code: 'blocked' })
    }
    expect(await find('http://127.0.0.1:11434/', more, false)).toMatchObject({ code: 'blocked' })
  })

  test('[T40] the hub itself is closed even where somebody exempts it', async () => {
    const exempt = () => ['http://127.0.0.1:4180', 'http://hub.example:4180', 'http://localhost:4180']
    const lookup = async () => ['203.0.114.9']
    for (const own of ['http://127.0.0.1:4180/api', 'http://hub.example:4180/']) {
      expect(await find(own, { exempt, lookup })).toMatchObject({ code: 'blocked', why: expect.stringContaining('the hub itself') })
    }
    expect(await find('http://localhost:4180/', { exempt, lookup: async () => ['::1', '127.0.0.1'] })).toMatchObject({ code: 'blocked' })
  })
})
