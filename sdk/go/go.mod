module github.com/callgate/callgate/sdk/go

go 1.26.0
