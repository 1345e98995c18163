package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"time"
)

type pair struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// writeCredentials makes ca.crt, the serving pair, the administrator's client pair and the
// service-account key. All are valid for a day: the server lives as long as one test run.
func writeCredentials(at paths) error {
	ca, err := issue(at, "ca", nil, &x509.Certificate{
		Subject:               pkix.Name{CommonName: "kube-apiserver-ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	})
	if err != nil {
		return err
	}
	_, err = issue(at, "serving", ca, &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	})
	if err != nil {
		return err
	}
	_, err = issue(at, "admin", ca, &x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return err
	}
	_, err = writeKey(at.file("service-account.key"))
	return err
}

// issue signs template with parent, or with itself if parent is nil, and writes NAME.crt and
// NAME.key.
func issue(at paths, name string, parent *pair, template *x509.Certificate) (*pair, error) {
	key, err := writeKey(at.file(name + ".key"))
	if err != nil {
		return nil, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.NotBefore = time.Now().Add(-time.Hour)
	// No alert about certificates that expire soon.
	template.NotAfter = time.Now().Add(30 * 24 * time.Hour)
	signer := &pair{template, key}
	if parent != nil {
		signer = parent
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.certificate, key.Public(), signer.key)
	if err != nil {
		return nil, err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(at.file(name+".crt"), block, 0o600); err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	return &pair{certificate, key}, err
}

func writeKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}
